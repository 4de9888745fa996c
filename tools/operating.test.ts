import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';

function hasProgram(name: string, version: string): boolean {
  try {
    execFileSync(name, [version], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const guideBlocks = (language: string): string[] => {
  const guide = readFileSync(path.join(import.meta.dirname, '../docs/operating.md'), 'utf8');
  return [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, block]) => block!);
};

it('nginx accepts the configuration of docs/operating.md', context => {
  if (!hasProgram('nginx', '-v')) context.skip('nginx is not installed');
  const [server, machines, assets] = guideBlocks('nginx');
  expect([server, machines, assets]).toEqual([
    expect.stringMatching(/^server /),
    expect.stringMatching(/^upstream /),
    expect.stringMatching(/^location /),
  ]);
  const blocks = `${machines}${server!.replace(/\}\n$/, `${assets}}\n`)}`;
  const folder = mkdtempSync(path.join(tmpdir(), 'octavo-nginx-'));
  const file = path.join(folder, 'nginx.conf');
  writeFileSync(file, `pid ${folder}/pid; error_log ${folder}/error.log; events {} http {\n${blocks}}\n`);
  const { stderr } = spawnSync('nginx', ['-t', '-p', folder, '-c', file], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  expect(stderr).toContain('test is successful');
});

it('systemd accepts the unit of docs/operating.md', context => {
  if (!hasProgram('systemd-analyze', '--version')) context.skip('systemd is not installed');
  const [unit] = guideBlocks('ini');
  expect(unit).toContain('ExecStart=/usr/bin/node ');
  const folder = mkdtempSync(path.join(tmpdir(), 'octavo-unit-'));
  const file = path.join(folder, 'octavo.service');
  writeFileSync(file, unit!.replace('/usr/bin/node', process.execPath));
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  expect([status, stderr]).toEqual([0, '']);
});
