import fs, { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makePrivateFile } from './private-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'octavo-private-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  rmSync(folder, { recursive: true });
});

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** Runs with the widest umask that a service may be started with. */
function make(path: string): void {
  const before = process.umask(0);
  try {
    makePrivateFile(path);
  } finally {
    process.umask(before);
  }
}

function refuse(name: 'chmodSync' | 'openSync', code: string) {
  const spy = vi.spyOn(fs, name).mockImplementation(() => {
    throw Object.assign(new Error(`what the system said: ${code}`), { code });
  });
  syncBuiltinESMExports();
  return spy;
}

describe('the file of a database', () => {
  it('is made for this account alone, and so are the folders around it', () => {
    const path = join(folder, 'made', 'too', 'one.db');
    make(path);
    expect([join(folder, 'made'), join(folder, 'made', 'too'), path].map(modeOf)).toEqual(['700', '700', '600']);
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  it('keeps what it holds, and its folder its mode', () => {
    const path = join(folder, 'one.db');
    mkdirSync(join(folder, 'of the operator'));
    chmodSync(folder, 0o755);
    writeFileSync(path, 'texts');
    make(path);
    expect([readFileSync(path, 'utf8'), modeOf(folder)]).toEqual(['texts', '755']);
  });

  it.each([
    ['read', 0o644, '600'],
    ['written to by a group', 0o620, '600'],
    ['run by others', 0o701, '700'],
    ['read by this account alone', 0o400, '400'],
  ])('is closed to others where it could be %s, and what lies beside it, too', (_, mode, expected) => {
    const path = join(folder, 'one.db');
    const files = [path, `${path}-wal`, `${path}-shm`];
    for (const file of files) {
      writeFileSync(file, '');
      chmodSync(file, mode);
    }
    make(path);
    expect(files.map(modeOf)).toEqual([expected, expected, expected]);
  });

  it('is left alone where it is closed already', () => {
    const path = join(folder, 'one.db');
    make(path);
    const chmod = refuse('chmodSync', 'EROFS');
    make(path);
    expect(chmod).not.toHaveBeenCalled();
  });

  it('may be another person’s: then its mode stays, and any other failure is told', () => {
    const path = join(folder, 'one.db');
    writeFileSync(path, '');
    chmodSync(path, 0o666);
    const chmod = refuse('chmodSync', 'EPERM');
    make(path);
    expect(chmod).toHaveBeenCalledExactlyOnceWith(path, 0o600);
    vi.restoreAllMocks();
    refuse('chmodSync', 'EROFS');
    expect(() => make(path)).toThrow('EROFS');
  });

  it('is not a folder that was named by mistake: everybody else goes on using it', () => {
    chmodSync(folder, 0o755);
    make(folder);
    expect(modeOf(folder)).toBe('755');
  });

  it('is no file where the system makes none', () => {
    refuse('openSync', 'EACCES');
    expect(() => make(join(folder, 'one.db'))).toThrow('EACCES');
  });
});
