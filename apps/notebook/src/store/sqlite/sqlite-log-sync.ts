import { close, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';

const closeFile = promisify(close);
const syncFile = promisify(fdatasync);

/** A file whose data the operating system can be told to write to the disk. */
export interface SyncedFile {
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Waits for the disk outside the event loop. SQLite with `synchronous=FULL` waits in the COMMIT: on a busy disk, everybody stood still for
 * 200 ms at a time. With `NORMAL` it writes the log and leaves the wait to us; the file stays intact either way
 * (https://sqlite.org/pragma.html#pragma_synchronous). Commits that arrive during one wait share the next.
 */
export class LogSync {
  readonly #open: () => SyncedFile;
  readonly #onLost: (error: unknown) => void;
  #file: SyncedFile | undefined;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #fault: unknown;

  /** @param onLost called once when the disk has lost committed data; later it may answer as if it had not */
  constructor(open: () => SyncedFile, onLost: (error: unknown) => void) {
    this.#open = open;
    this.#onLost = onLost;
  }

  /**
   * Resolves when everything that was committed before the call is on the disk.
   * @throws the system's error, and after one failed sync always, because nobody knows what the system has thrown away
   * (https://wiki.postgresql.org/wiki/Fsync_Errors)
   */
  sync(): Promise<void> {
    if (!this.#running) return this.#start();
    // The sync under way may have begun before that commit.
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

/**
 * Opens the log beside a database. It carries no locks, so closing it here takes none away from SQLite
 * (https://sqlite.org/howtocorrupt.html, 2.2).
 */
export function openLog(databasePath: string): SyncedFile {
  const file = openSync(`${databasePath}-wal`, 'r');
  return { sync: () => syncFile(file), close: () => closeFile(file) };
}
