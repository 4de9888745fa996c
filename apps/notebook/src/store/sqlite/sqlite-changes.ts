import type { DatabaseSync, StatementSync } from 'node:sqlite';

export interface Changes {
  /** The same number means that nobody committed anything in between. */
  state(shared: boolean): number;
  /** This connection has written, or may have. */
  noteOwn(): void;
}

/**
 * Knows whether anything in the file changed without reading what is in it. Other connections' commits, of other processes too, are
 * seen by `PRAGMA data_version` (https://www.sqlite.org/pragma.html#pragma_data_version), which looks into the shared memory of the
 * write-ahead log; it does not count one's own, so those are told.
 */
export function watchChanges(database: DatabaseSync): Changes {
  let statement: StatementSync | undefined;
  let seen: unknown;
  let state = 1;
  let looked = false;

  function look(): void {
    try {
      statement ??= database.prepare('PRAGMA data_version');
      const version = statement.get()?.data_version;
      if (version === seen) return;
      seen = version;
    } catch {
      // A recovery under way, a disk that fails: nothing is known to hold, and the read that follows says what is wrong.
      seen = undefined;
    }
    state += 1;
  }

  return {
    state(shared) {
      if (shared && looked) return state;
      look();
      // Whoever looks for itself may do so after this turn's events were read, when the next turn's are still to come.
      if (shared && !looked) {
        looked = true;
        setImmediate(() => {
          looked = false;
        });
      }
      return state;
    },
    noteOwn() {
      state += 1;
    },
  };
}
