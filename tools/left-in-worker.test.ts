import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '..');
const cache = path.join(root, 'node_modules/.cache');
let folder: string;

beforeAll(() => {
  mkdirSync(cache, { recursive: true });
  folder = mkdtempSync(path.join(cache, 'octavo-left-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What a file does, and what the guard says that it leaves; undefined if it leaves nothing. */
const files: [does: string, left: string | undefined][] = [
  [`process.env.NEW_SETTING = 'on';`, 'the environment variable NEW_SETTING'],
  [`process.env.PATH += ':/nowhere';`, 'the environment variable PATH'],
  ['delete process.env.PATH;', 'the environment variable PATH'],
  [`process.env.PATH = process.env.OLD_PATH;`, 'the environment variable PATH'],
  [`vi.stubEnv('NEW_SETTING', 'on'); vi.unstubAllEnvs();`, undefined],
  [`vi.stubGlobal('localStorage', {});`, 'the global localStorage'],
  ['globalThis.fetch = async () => new Response();', 'the global fetch'],
  [`vi.stubGlobal('fetch', 1); vi.unstubAllGlobals();`, undefined],
  // Node makes these when they are first read.
  ['void [WebSocket, crypto, performance, navigator, CompressionStream];', undefined],
  ['vi.useFakeTimers();', 'a played clock'],
  [`vi.useFakeTimers({ toFake: ['Date'] });`, 'a played clock'],
  ['vi.useFakeTimers(); vi.useRealTimers();', undefined],
  ['process.chdir(path.dirname(process.cwd()));', 'another working directory'],
  [`process.on('warning', () => {});`, 'a listener of the process for warning'],
  [`process.on('worker', () => {});`, 'a listener of the process for worker'],
  [`process.once('exit', () => {}); process.on('SIGINT', () => {});`, undefined],
  [`vi.spyOn(fs, 'statSync');`, undefined],
  [`vi.spyOn(fs, 'statSync'); syncBuiltinESMExports();`, 'a changed node:fs.statSync'],
  [`vi.spyOn(fs, 'statSync'); syncBuiltinESMExports(); vi.restoreAllMocks(); syncBuiltinESMExports();`, undefined],
];

it('a file that leaves something changed fails, and the ones after it in its worker do not', () => {
  for (const [at, [does]] of files.entries())
    writeFileSync(path.join(folder, `${String(at).padStart(2, '0')}.test.ts`), fileThat(does));
  const { status, stdout } = run();
  const told = stdout.split('\n').filter(line => line.startsWith('failed: '));
  const expected = files.flatMap(([, left], at) =>
    left === undefined
      ? []
      : [`failed: ${String(at).padStart(2, '0')}.test.ts: This file leaves to the next one of its worker: ${left}.`],
  );
  expect(told.sort()).toEqual(expected);
  expect(stdout).toContain(`${files.length} passed, ${expected.length} failed, 0 skipped`);
  expect(status).toBe(1);
});

const fileThat = (does: string) => `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  import path from 'node:path';
  import { it, vi } from 'vitest';
  it('passes', () => {
    ${does}
  });
`;

/** Runs the files in one worker, in the order of their names. */
function run() {
  const setup = JSON.stringify(path.join(root, 'tools/left-in-worker.ts'));
  const reporter = JSON.stringify(path.join(root, 'tools/closing-line.ts'));
  writeFileSync(
    path.join(folder, 'vitest.config.ts'),
    `import { BaseSequencer } from 'vitest/node';
    class ByName extends BaseSequencer {
      async sort(files) {
        return files.sort((a, b) => (a.moduleId < b.moduleId ? -1 : 1));
      }
    }
    export default {
      test: { include: ['*.test.ts'], setupFiles: [${setup}], reporters: [${reporter}], isolate: false, maxWorkers: 1,
        sequence: { sequencer: ByName } },
    };`,
  );
  return spawnSync(process.execPath, [path.join(root, 'node_modules/vitest/vitest.mjs'), 'run'], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, OLD_PATH: '/old', NO_COLOR: '1' },
  });
}
