import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { watchChanges } from './sqlite-changes.ts';

describe('the state of a database', () => {
  let folder: string;
  let own: DatabaseSync;
  let other: DatabaseSync;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'octavo-changes-'));
    [own, other] = [new DatabaseSync(join(folder, 'o.db')), new DatabaseSync(join(folder, 'o.db'))];
    own.exec('PRAGMA journal_mode = WAL; CREATE TABLE leaves (number INTEGER)');
  });
  afterEach(() => {
    own.close();
    other.close();
    rmSync(folder, { recursive: true });
  });

  it('is the same while nobody writes', () => {
    const changes = watchChanges(own);
    const state = changes.state(false);
    expect(changes.state(false)).toBe(state);
    expect(changes.state(true)).toBe(state);
  });

  it('is another after a commit of another connection, and only after the commit', () => {
    const changes = watchChanges(own);
    const state = changes.state(false);
    other.exec('BEGIN; INSERT INTO leaves VALUES (1)');
    expect(changes.state(false)).toBe(state);
    other.exec('COMMIT');
    expect(changes.state(false)).not.toBe(state);
  });

  it('is another after a write of its own, within the same turn too', () => {
    const changes = watchChanges(own);
    const state = changes.state(true);
    changes.noteOwn();
    expect(changes.state(true)).not.toBe(state);
  });

  it('is looked at once a turn by those who share it, and always by the others', async () => {
    const changes = watchChanges(own);
    const state = changes.state(true);
    other.exec('INSERT INTO leaves VALUES (1)');
    expect(changes.state(true)).toBe(state);
    expect(changes.state(false)).not.toBe(state);
    other.exec('INSERT INTO leaves VALUES (2)');
    const before = changes.state(true);
    await new Promise(resolve => setImmediate(resolve));
    expect(changes.state(true)).not.toBe(before);
  });

  it('seen by a caller that looked for itself, between two turns, is no answer for those who share a look in the next', async () => {
    const changes = watchChanges(own);
    const [before, after] = await new Promise<[number, number]>(resolve => {
      // At this point starts a request that waited behind another one on its connection.
      setImmediate(() => {
        const seen = changes.state(false);
        other.exec('INSERT INTO leaves VALUES (1)');
        setTimeout(() => resolve([seen, changes.state(true)]), 1);
        // Busy until the timer is due, which then runs before the next immediate.
        for (const start = performance.now(); performance.now() - start < 3; );
      });
    });
    expect(after).not.toBe(before);
  });

  it('is another one each time, whichever of the two writes', () => {
    const changes = watchChanges(own);
    const seen = [changes.state(false)];
    for (let turn = 0; turn < 3; turn++) {
      other.exec(`INSERT INTO leaves VALUES (${turn})`);
      seen.push(changes.state(false));
      changes.noteOwn();
      seen.push(changes.state(false));
    }
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('of before a fault is not believed after it', () => {
    let broken = false;
    const prepare = (sql: string) => {
      const statement = own.prepare(sql);
      return {
        setReturnArrays: (enabled: boolean) => statement.setReturnArrays(enabled),
        get: () => {
          if (broken) throw new Error('disk I/O error');
          return statement.get();
        },
      };
    };
    const changes = watchChanges({ prepare } as unknown as DatabaseSync);
    const before = changes.state(false);
    broken = true;
    const during = changes.state(false);
    broken = false;
    const after = changes.state(false);
    expect(new Set([before, during, after]).size).toBe(3);
    expect(changes.state(false)).toBe(after);
  });

  it('is never believed when it cannot be looked at', () => {
    const closed = new DatabaseSync(join(folder, 'o.db'));
    const changes = watchChanges(closed);
    const state = changes.state(false);
    closed.close();
    expect(changes.state(false)).not.toBe(state);
    expect(changes.state(false)).not.toBe(changes.state(false));
  });
});
