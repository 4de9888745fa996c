import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { limitPerTurn } from '../event-loop-turns.ts';
import { limits } from '../limits.ts';
import type { Page, PageHead } from '../model/notebook.ts';

/** A page's text never changes without its revision. */
type Revision = Pick<PageHead, 'id' | 'revision'>;
const keyOf = ({ id, revision }: Revision) => `${id} ${revision}`;

interface Place {
  readonly at: number;
  readonly bytes: number;
}

/** Bytes of all copies of this process: a folder for temporary files may be memory. */
let heldBytes = 0;

/** One long text in each turn: a mebibyte takes 5 ms where fresh memory is expensive, and many reads end together. */
const decodeInTurn = limitPerTurn(524_288);

/**
 * Texts of pages in a temporary file that nobody else can open: a slow reader gets the pages of one moment, and they take no memory while
 * they wait. Whatever keeps the file from being written only ends the copy.
 */
export class TextCopy {
  readonly #file: FileHandle;
  readonly #path: string;
  readonly #places = new Map<string, Promise<Place | undefined>>();
  /** Under way. Readers who come meanwhile share the text: forty copies of it would take forty times its memory. */
  readonly #readings = new Map<string, Promise<string>>();
  #end = 0;
  #closed = false;

  private constructor(file: FileHandle, path: string) {
    this.#file = file;
    this.#path = path;
  }

  /** @returns undefined where no temporary file can be written */
  static async open(): Promise<TextCopy | undefined> {
    const path = join(tmpdir(), `octavo-copy-${randomUUID()}`);
    try {
      const copy = new TextCopy(await open(path, 'wx+', 0o600), path);
      // Without a name the file ends with the process. Where an open file keeps its name, it goes with `close`.
      await rm(path).catch(() => {});
      return copy;
    } catch {
      return undefined;
    }
  }

  /** Waits while it is being written. */
  async has(head: Revision): Promise<boolean> {
    return (await this.#places.get(keyOf(head))) !== undefined;
  }

  /** @returns false when it has no room */
  async keep(page: Page): Promise<boolean> {
    const key = keyOf(page);
    const writing = this.#places.get(key) ?? this.#write(page.markdown);
    this.#places.set(key, writing);
    if (await writing) return true;
    this.#places.delete(key);
    return false;
  }

  async #write(markdown: string): Promise<Place | undefined> {
    const text = Buffer.from(markdown);
    const [at, bytes] = [this.#end, text.length];
    if (this.#closed || heldBytes + bytes > limits.maxCopiedBytes) return undefined;
    heldBytes += bytes;
    this.#end += bytes;
    try {
      // A single call of `write` may write less.
      for (let done = 0; done < bytes; ) done += (await this.#file.write(text, done, bytes - done, at + done)).bytesWritten;
    } catch {
      return undefined;
    }
    return { at, bytes };
  }

  /** The text of this revision, if it was kept. */
  async find(head: PageHead): Promise<Page | undefined> {
    const key = keyOf(head);
    const place = await this.#places.get(key);
    if (!place) return undefined;
    const reading = this.#readings.get(key) ?? this.#read(place).finally(() => this.#readings.delete(key));
    this.#readings.set(key, reading);
    return { ...head, markdown: await reading };
  }

  async #read({ at, bytes }: Place): Promise<string> {
    const text = Buffer.allocUnsafe(bytes);
    for (let done = 0; done < bytes; ) {
      const { bytesRead } = await this.#file.read(text, done, bytes - done, at + done);
      if (bytesRead === 0) throw new Error('The copy of a notebook is shorter than it was.');
      done += bytesRead;
    }
    await new Promise<void>(go => decodeInTurn(go, bytes));
    return text.toString('utf8');
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    heldBytes -= this.#end;
    await this.#file.close().catch(() => {});
    await rm(this.#path, { force: true }).catch(() => {});
  }
}
