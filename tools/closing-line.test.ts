import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '..');
const cache = path.join(root, 'node_modules/.cache');
let folder: string;

beforeAll(() => {
  mkdirSync(cache, { recursive: true });
  folder = mkdtempSync(path.join(cache, 'octavo-closing-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Run {
  readonly lines: string[];
  readonly errors: string;
  readonly code: number | null;
  /** The folder it ran in. */
  readonly place: string;
}

/** The output of a run of these files, and how it ends. */
function run(files: Record<string, string>, ...options: string[]): Run {
  const place = mkdtempSync(path.join(folder, 'run-'));
  for (const [name, text] of Object.entries(files))
    writeFileSync(path.join(place, name), `import { describe, expect, it } from 'vitest';\n${text}`);
  const setup = JSON.stringify(path.join(root, 'tools/skip-reasons.ts'));
  const reporter = JSON.stringify([path.join(root, 'tools/closing-line.ts'), { endMillis: 500 }]);
  writeFileSync(
    path.join(place, 'vitest.config.ts'),
    `export default { test: { include: ['*.test.ts'], setupFiles: [${setup}], reporters: [${reporter}] } };`,
  );
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [path.join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...options],
    {
      cwd: place,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, NO_COLOR: '1' },
    },
  );
  return { lines: stdout.trimEnd().split('\n'), errors: stderr, code: status, place };
}

/** A run that several tests look at. */
function once(make: () => Run): () => Run {
  let made: Run | undefined;
  return () => (made ??= make());
}

const skips = `describe.skipIf('no Firefox')('a', () => { it('b', () => {}); it('c', () => {}); });
  it.skipIf('no Firefox').each([1, 2])('d %i', () => {});
  it('e', context => context.skip('no nginx'));
  it.skipIf(undefined)('f', () => {});`;
const passing = once(() =>
  run({
    'a.test.ts': skips,
    'b.test.ts': skips,
    'c.test.ts': `it('a', () => { console.log('loud'); }); it('b', () => {});`,
  }),
);
const failing = once(() =>
  run({
    'a.test.ts': `it('adds', () => { expect(1 + 1).toBe(3); });`,
    'b.test.ts': `throw new Error('broken');`,
    'c.test.ts': `import { spawn } from 'node:child_process';
      it('leaves one', () => {
        spawn('sh', ['-c', 'sleep 60; echo > over'], { stdio: 'inherit', detached: true }).unref();
        expect(1).toBe(2);
      });`,
  }),
);

describe('the last lines of a run', () => {
  it('count passed, failed and skipped tests, and give each reason once', () => {
    const { lines, code } = passing();
    expect(lines.slice(-4)).toEqual(['skipped 2: no nginx', 'skipped 8: no Firefox', '', '4 passed, 0 failed, 10 skipped']);
    expect(code).toBe(0);
  });

  it('count failures, also a file that cannot be loaded, and show them in full', () => {
    const { lines, errors, code } = failing();
    expect(lines.at(-1)).toBe('0 passed, 3 failed, 0 skipped');
    for (const reason of ['expected 2 to be 3', 'expected 1 to be 2', 'broken']) expect(errors).toContain(reason);
    expect(code).toBe(1);
  });

  it('come last, and the run ends even if a failed test left a program running', () => {
    const { lines, errors, code, place } = failing();
    // The run did not wait for the program.
    expect(existsSync(path.join(place, 'over'))).toBe(false);
    expect(lines.at(-1)).toBe('0 passed, 3 failed, 0 skipped');
    expect(errors).toContain('a process that a test started is still running');
    expect(code).toBe(1);
  });

  it('fail a skip without a reason', () => {
    const { lines, code } = run({ 'a.test.ts': `it.skip('later', () => {}); it('now', () => {});` });
    expect(lines.slice(-3)).toEqual([
      'skipped 1: FAILED, it gives no reason: a.test.ts: later',
      '',
      '1 passed, 1 failed, 0 skipped',
    ]);
    expect(code).toBe(1);
  });

  it('ask no reason for tests left out by name', () => {
    const { lines, code } = run({ 'a.test.ts': `it('later', () => {}); it('now', () => {});` }, '-t', 'now');
    expect(lines.slice(-2)).toEqual(['', '1 passed, 0 failed, 1 skipped']);
    expect(code).toBe(0);
  });
});

it('prints nothing about passed tests', () => {
  const { lines } = passing();
  expect(lines.join('\n')).not.toContain('loud');
  // Two of them tell what was skipped.
  expect(lines.length).toBeLessThan(8);
});
