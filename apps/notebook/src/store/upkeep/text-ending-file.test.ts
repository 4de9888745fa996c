import fs, { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TextEnding } from '../../model/text-tracker.ts';
import { appendEnding, takeEndings } from './text-ending-file.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'octavo-endings-'));
  path = join(folder, 'octavo.db');
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  rmSync(folder, { recursive: true });
});

const ending = (at: number): TextEnding => ({ id: `page ${at}`, revision: 7, at });
const [one, two, three] = [ending(1), ending(2), ending(3)] as const;

async function taken(): Promise<TextEnding[]> {
  const noted: TextEnding[] = [];
  await takeEndings(path, async each => void noted.push(each));
  return noted;
}

function refuse(name: 'renameSync' | 'unlinkSync' | 'writeSync', code: string): void {
  vi.spyOn(fs, name).mockImplementation(() => {
    throw Object.assign(new Error(code), { code });
  });
  syncBuiltinESMExports();
}

function allow(): void {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
}

describe('the endings of texts', () => {
  it('are handed on once, in their order, and the file is gone', async () => {
    appendEnding(path, one);
    appendEnding(path, { ...two, text: 'none of it is kept' } as TextEnding);
    expect(readFileSync(`${path}-endings`, 'utf8')).not.toContain('none of it');
    expect((statSync(`${path}-endings`).mode & 0o777).toString(8)).toBe('600');
    expect(await taken()).toStrictEqual([one, two]);
    expect([readdirSync(folder), await taken()]).toEqual([[], []]);
  });

  it('are on the disk when they are told', () => {
    const synced = vi.spyOn(fs, 'fsyncSync');
    const closed = vi.spyOn(fs, 'closeSync');
    syncBuiltinESMExports();
    appendEnding(path, one);
    expect(synced).toHaveBeenCalledTimes(1);
    expect(closed.mock.calls).toEqual(synced.mock.calls);
    refuse('writeSync', 'ENOSPC');
    expect(() => appendEnding(path, two)).toThrow('ENOSPC');
    expect(closed).toHaveBeenCalledTimes(2);
  });

  it('are kept where noting them fails, and handed on with the newer ones at the next start', async () => {
    appendEnding(path, one);
    const noting = takeEndings(path, async () => {
      throw new Error('no database');
    });
    await expect(noting).rejects.toThrow('no database');
    appendEnding(path, two);
    expect(await taken()).toStrictEqual([one, two]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('that another process tells meanwhile wait for the next start', async () => {
    appendEnding(path, one);
    const noted: TextEnding[] = [];
    await takeEndings(path, async each => {
      noted.push(each);
      appendEnding(path, three);
    });
    expect([noted, await taken()]).toEqual([[one], [three]]);
  });

  it.each([
    ['cut', '{"id":"page 9","revi'],
    ['without an id', '{"revision":1,"at":1}'],
    ['with a revision in words', '{"id":"page 9","revision":"1","at":1}'],
    ['without a time', '{"id":"page 9","revision":1}'],
    ['that is no object', 'null'],
  ])('are read past a line that is %s', async (_, line) => {
    appendEnding(path, one);
    writeFileSync(`${path}-endings`, `${line}\n`, { flag: 'a' });
    appendEnding(path, two);
    expect(await taken()).toStrictEqual([one, two]);
  });

  it('may be removed meanwhile by another process that hands them on, too', async () => {
    appendEnding(path, one);
    renameSync(`${path}-endings`, `${path}-endings-taken`);
    const noted: TextEnding[] = [];
    await takeEndings(path, async each => {
      noted.push(each);
      rmSync(`${path}-endings-taken`);
    });
    expect(noted).toEqual([one]);
  });

  it('are not lost in silence where the file can neither be moved nor removed', async () => {
    appendEnding(path, one);
    refuse('renameSync', 'EACCES');
    await expect(taken()).rejects.toThrow('EACCES');
    allow();
    refuse('unlinkSync', 'EACCES');
    await expect(taken()).rejects.toThrow('EACCES');
    allow();
    expect(existsSync(`${path}-endings-taken`)).toBe(true);
    expect(await taken()).toEqual([one]);
  });
});
