import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeAtomically } from './markdown-files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'octavo-files-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const modeOf = (path: string) => statSync(path).mode & 0o777;

it.each(['600', '640', '400'])('a replaced file of mode %s is never readable to more people while it is written', async octal => {
  const mode = Number.parseInt(octal, 8);
  const path = join(folder, 'secret.md');
  writeFileSync(path, 'before', { mode });
  let isDone = false;
  const writing = writeAtomically(path, Buffer.alloc(32 * 1024 * 1024, 'x')).finally(() => {
    isDone = true;
  });
  const seen = new Set<number>();
  while (!isDone) {
    const aside = readdirSync(folder).find(name => name.endsWith('.part'));
    const found = aside && statSync(join(folder, aside), { throwIfNoEntry: false });
    if (found) seen.add(found.mode & 0o777);
    await turn();
  }
  await writing;
  expect(seen.size).toBeGreaterThan(0);
  expect([...seen].filter(one => (one & ~mode) !== 0)).toEqual([]);
  expect([modeOf(path), readFileSync(path).length]).toEqual([mode, 32 * 1024 * 1024]);
});
