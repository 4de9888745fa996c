import { close, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';

const closeFile = promisify(close);
const syncFile = promisify(fdatasync);

/** Puts what the operating system holds of a file onto the disk. */
export interface SyncedFile {
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Waits for the disk outside of the event loop. SQLite with `synchronous=FULL` waits in the COMMIT: on a busy disk everybody stood still for
 * 200 ms at a time. With `NORMAL` it writes the log and leaves the wait to us; the file stays whole either way
 * (https://sqlite.org/pragma.html#pragma_synchronous). Commits that come while one wait is under way share the next.
 */
export class LogSync {
  readonly #open: () => SyncedFile;
  readonly #onLost: (error: unknown) => void;
  #file: SyncedFile | undefined;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #fault: unknown;

  /** @param onLost told once: the disk has lost what was committed, and may answer as if it had not */
  constructor(open: () => SyncedFile, onLost: (error: unknown) => void) {
    this.#open = open;
    this.#onLost = onLost;
  }

  /**
   * Resolves when everything that was committed before the call is on the disk.
   * @throws what the system said; after a sync that failed always, because nobody knows what the system has thrown away (https://wiki.postgresql.org/wiki/Fsync_Errors)
   */
  sync(): Promise<void> {
    if (!this.#running) return this.#start();
    // What is under way may have begun before that commit.
    this.#next ??= this.#running.then(
      () => this.#startNext(),
      () => this.#startNext(),
    );
    return this.#next;
  }

  async close(): Promise<void> {
    await this.#next?.catch(() => {});
    await this.#running?.catch(() => {});
    await this.#file?.close();
  }

  #startNext(): Promise<void> {
    this.#next = undefined;
    return this.#start();
  }

  #start(): Promise<void> {
    const running = this.#syncOnce().finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
    return running;
  }

  async #syncOnce(): Promise<void> {
    if (this.#fault !== undefined) throw this.#fault;
    this.#file ??= this.#open();
    try {
      await this.#file.sync();
    } catch (error) {
      this.#fault = error;
      this.#onLost(error);
      throw error;
    }
  }
}

/** The log beside a database. No lock lies on it, so that closing it here takes none away from SQLite (https://sqlite.org/howtocorrupt.html, 2.2). */
export function openLog(databasePath: string): SyncedFile {
  const file = openSync(`${databasePath}-wal`, 'r');
  return { sync: () => syncFile(file), close: () => closeFile(file) };
}
