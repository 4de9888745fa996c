import type { DatabaseSync, StatementSync } from 'node:sqlite';

export interface Changes {
  /** An unchanged number means that nobody committed anything in between. */
  state(shared: boolean): number;
  /** Notes that this connection has written, or may have. */
  noteOwn(): void;
}

/**
 * Detects changes to the file without reading its content. `PRAGMA data_version` (https://www.sqlite.org/pragma.html#pragma_data_version)
 * shows commits of other connections, including those of other processes, by looking into the shared memory of the write-ahead log. It does
 * not count this connection's own commits, so those are noted.
 */
export function watchChanges(database: DatabaseSync): Changes {
  let statement: StatementSync | undefined;
  let seen: unknown;
  let state = 1;
  let looked = false;

  function look(): void {
    try {
      if (!statement) {
        statement = database.prepare('PRAGMA data_version');
        statement.setReturnArrays(true);
      }
      const [version] = statement.get() as unknown as unknown[];
      if (version === seen) return;
      seen = version;
    } catch {
      // A recovery under way or a failing disk: nothing is known to be valid, and the read that follows says what is wrong.
      seen = undefined;
    }
    state += 1;
  }

  return {
    state(shared) {
      if (shared && looked) return state;
      look();
      // A caller that does not share may look after this turn's events were read and before the next turn's.
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
