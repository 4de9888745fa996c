import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type App, createApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { createMemoryStore } from '../src/objects/memory.ts';

const guide = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8');
const script = [...guide.matchAll(/^```sh\n(.*?)^```/gms)].map(match => match[1]).join('');

let app: App;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'octavo-guide-'));
  app = await createApp(
    readConfig({ PORT: '0', DATABASE_URL: `sqlite:${join(folder, 'guide.db')}`, LOG_LEVEL: 'silent', JOBS: 'off' }),
    { objects: createMemoryStore() },
  );
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

function hasCurl(): boolean {
  try {
    execFileSync('curl', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

it('every command of docs/api.md answers what the guide says', async context => {
  if (!hasCurl()) context.skip('curl is not installed');
  const expected = [...script.matchAll(/# (\d{3})$/gm)].map(match => match[1]);
  expect(expected.length).toBe(script.match(/\bcurl /g)?.length);
  const address = await app.listen();
  // Each call leaves its status in a file; bodies go where the guide sends them.
  const counted = `curl() { command curl "$@" -w '%{stderr}%{http_code}\\n' 2>>statuses; }\n`;
  await promisify(execFile)('bash', ['-c', counted + script.replace('http://localhost:3000', address)], { cwd: folder });
  expect(readFileSync(join(folder, 'statuses'), 'utf8').trim().split('\n')).toEqual(expected);
});
