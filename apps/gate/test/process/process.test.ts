import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { freePort, serve } from '../support/servers.ts';

// The built program, as people run it.

const program = fileURLToPath(new URL('../../dist/server/cli.js', import.meta.url));
const folders: string[] = [];
const env = { PATH: process.env.PATH, GATE_KEY: 'k'.repeat(40), CORP_SECRET: 'a secret of the tests' };

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-gate-process-'));
  folders.push(folder);
  return folder;
}

function run(folder: string, words: readonly string[], more: Record<string, string> = {}) {
  return spawnSync(process.execPath, [program, ...words], {
    cwd: folder,
    env: { ...env, ...more },
    encoding: 'utf8',
    timeout: 60_000,
  });
}

describe('octavo-gate', () => {
  test('writes an example at the first run that passes its own check', () => {
    const folder = newFolder();
    const first = run(folder, []);
    expect([first.status, first.stderr]).toEqual([2, expect.stringContaining('Replace what is marked FILL IN')]);
    const checked = run(folder, ['--check']);
    expect([checked.status, checked.stdout]).toEqual([0, expect.stringContaining('gate.json is fine.')]);
    expect(checked.stdout).toContain('FILL IN: publicUrl still has the value of the example');
    expect(checked.stdout).toContain('FILL IN: providers[0].issuer still has the value of the example');
    const asked = run(folder, ['--check', 'POST /api/notebooks as someone@example.org from corp in staff']);
    expect(asked.stdout).toBe('POST /api/notebooks as someone@example.org from corp in staff: allowed by rule 1\n');
  });

  test('--check finds what the start would refuse, and names an unreadable question', () => {
    const folder = newFolder();
    run(folder, []);
    const path = join(folder, 'gate.json');
    const example = readFileSync(path, 'utf8');
    const asked = run(folder, ['--check', 'post /new', '/new']);
    expect([asked.status, asked.stdout]).toEqual([1, '/new: must sign in, by rule 2\n']);
    expect(asked.stderr).toMatch(/^"post \/new" cannot be read\. Write it like this: /);
    writeFileSync(path, example.replace('https://op.example.org', 'op.example.org'));
    const checked = run(folder, ['--check']);
    expect([checked.status, checked.stdout]).toEqual([1, '']);
    expect(checked.stderr).toContain('  - providers[0] (corp): The relying party is configured incorrectly (options.issuer');
  });

  test('does not start with a wrong configuration: names the reasons, not the secrets', () => {
    const folder = newFolder();
    run(folder, []);
    const path = join(folder, 'gate.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"listen"', '"lisen"'));
    const started = run(folder, [], { GATE_KEY: 'hush-hush' });
    expect(started.status).toBe(1);
    expect(started.stderr).toContain('lisen: there is no such setting');
    expect(started.stderr).toContain('listen: is missing');
    expect(started.stdout + started.stderr).not.toContain('hush');
  });

  test('reloads a changed file, keeps the old rules if it is wrong, and stops on a signal', async () => {
    const folder = newFolder();
    const port = await freePort();
    const path = join(folder, 'gate.json');
    const config = (rules: unknown) => ({
      listen: `127.0.0.1:${port}`,
      publicUrl: `http://127.0.0.1:${port}`,
      trustedProxies: ['127.0.0.1'],
      session: { store: 'sqlite:gate.db', keys: [{ env: 'GATE_KEY' }] },
      providers: [],
      rules,
    });
    writeFileSync(path, JSON.stringify(config([{ paths: ['/**'], allow: 'anyone' }])));
    const child: ChildProcess = spawn(process.execPath, [program, '--config', path], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines: Record<string, unknown>[] = [];
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', line => lines.push(JSON.parse(line)));
    const ended = once(child, 'exit');
    const said = (word: string) => lines.some(line => line.message === word || line.audit === word);
    await expect.poll(() => said('the gate is listening')).toBe(true);
    const check = async () =>
      (await fetch(`http://127.0.0.1:${port}/gate/check`, { headers: { 'x-original-uri': '/x' } })).status;
    expect(await check()).toBe(202);
    writeFileSync(path, JSON.stringify(config([{ paths: ['/**'], allow: 'nobody' }])));
    await expect.poll(check).toBe(403);
    expect(said('configuration-changed')).toBe(true);
    writeFileSync(path, '{ not json');
    child.kill('SIGHUP');
    await expect.poll(() => said('the new configuration was rejected; the old one stays in effect')).toBe(true);
    expect(await check()).toBe(403);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  }, 60_000);

  test('survives a reload signal during the start and reloads afterwards', async () => {
    const folder = newFolder();
    const port = await freePort();
    const path = join(folder, 'gate.json');
    const waiting: ServerResponse[] = [];
    let isUp = false;
    await using metadata = await serve((_request, response) => {
      if (isUp) response.writeHead(404).end();
      else waiting.push(response);
    });
    const uni = { id: 'uni', protocol: 'saml', name: 'University', metadata: { url: `${metadata.origin}/metadata` } };
    const config = {
      listen: `127.0.0.1:${port}`,
      publicUrl: `http://127.0.0.1:${port}`,
      trustedProxies: ['127.0.0.1'],
      session: { store: 'sqlite:gate.db', keys: [{ env: 'GATE_KEY' }] },
      providers: [uni],
      rules: [{ paths: ['/**'], allow: 'anyone' }],
    };
    writeFileSync(path, JSON.stringify(config));
    const child = spawn(process.execPath, [program, '--config', path], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines: Record<string, unknown>[] = [];
    createInterface({ input: child.stdout }).on('line', line => lines.push(JSON.parse(line)));
    const ended = once(child, 'exit');
    await expect.poll(() => waiting.length).toBe(1);
    child.kill('SIGHUP');
    isUp = true;
    for (const response of waiting) response.writeHead(404).end();
    await expect.poll(() => lines.map(line => line.message ?? line.audit)).toContain('configuration-changed');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  }, 60_000);
});
