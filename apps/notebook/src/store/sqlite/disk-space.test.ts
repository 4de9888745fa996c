import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DatabaseUnavailable } from '../database-unavailable.ts';
import { createDiskSpace } from './disk-space.ts';

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

const full = Object.assign(new Error('database or disk is full'), { errcode: 13 });

/** A disk with blocks of 4 KiB. */
function diskHas(told: { bavail: number; blocks?: number } | Error) {
  const statfs = vi.spyOn(fs, 'statfs').mockImplementation((async () => {
    if (told instanceof Error) throw told;
    return { bsize: 4_096, blocks: 1_000_000, ...told };
  }) as never);
  syncBuiltinESMExports();
  return statfs;
}

const failureOf = (asked: Promise<void>) => asked.then(() => undefined).catch((error: unknown) => error);

describe('the room of the disk', () => {
  it('is asked of the folder, and 8 MiB are the least', async () => {
    const statfs = diskHas({ bavail: 2_048 });
    await createDiskSpace('/data').require();
    expect(statfs).toHaveBeenCalledExactlyOnceWith('/data');
    diskHas({ bavail: 2_047 });
    const failure = await failureOf(createDiskSpace('/data').require());
    expect(failure).toBeInstanceOf(DatabaseUnavailable);
    expect(failure).toMatchObject({ cause: { message: 'The disk of the database has 8384512 bytes left.' } });
  });

  it('is taken for granted where the file system does not tell it', async () => {
    diskHas({ bavail: 0, blocks: 0 });
    await createDiskSpace('/data').require();
    diskHas(new Error('ENOSYS'));
    await createDiskSpace('/data').require();
  });

  it('is not asked for a database in memory', async () => {
    const statfs = diskHas({ bavail: 0 });
    await createDiskSpace(undefined).require();
    expect(statfs).not.toHaveBeenCalled();
  });

  it('counts as used up for 5 seconds after a write that found none, whatever the disk says', async () => {
    diskHas({ bavail: 1_000_000 });
    const now = vi.spyOn(performance, 'now').mockReturnValue(100_000);
    const room = createDiskSpace('/data');
    room.noteFault(full);
    now.mockReturnValue(104_999);
    const failure = await failureOf(room.require());
    expect(failure).toBeInstanceOf(DatabaseUnavailable);
    expect(failure).toMatchObject({ cause: full });
    now.mockReturnValue(105_000);
    await room.require();
  });

  it('is not doubted for a write that failed for another reason', async () => {
    const room = createDiskSpace(undefined);
    room.noteFault(Object.assign(new Error('database is locked'), { errcode: 5 }));
    await room.require();
  });
});
