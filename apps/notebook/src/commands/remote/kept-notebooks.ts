import { mkdir, open, readFile, realpath, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CommandFailed, type Terminal } from '../command.ts';
import { withLock } from './file-lock.ts';
import type { PulledLinks } from './pulled-links.ts';

/** A file that is a page of a notebook. */
export interface KeptFile {
  readonly pageId: string;
  /** The page's revision when file and page were last the same. */
  readonly revision: number;
  /** The hash of the text that both had then. */
  readonly sha256: string;
  /** The folder that it was pushed with or pulled into: the paths of its pictures and links begin there. */
  readonly folder?: string | undefined;
  readonly pulledLinks?: PulledLinks;
}

/** Addresses of a notebook's images, by the hash of the file that each was pushed from or pulled into. */
export type KeptImages = Readonly<Record<string, string>>;

/** A notebook, as this person's configuration folder records it. */
export interface KeptNotebook {
  readonly server: string;
  readonly slug: string;
  /** Absent when it was pulled by its view link. */
  readonly editToken?: string | undefined;
  /** By absolute path. */
  readonly files: Readonly<Record<string, KeptFile>>;
  readonly images?: KeptImages | undefined;
  /** Keys of pages that were sent but not answered yet, by absolute path. */
  readonly adding?: Readonly<Record<string, string>> | undefined;
}

/** `notebooks.json` in the configuration folder, readable by its owner only: it holds edit tokens. */
export class KeptNotebooks {
  readonly path: string;
  readonly #folder: string;
  readonly #timeoutMs: number | undefined;

  /** @param timeoutMs how long to wait for another process */
  constructor({ env }: Pick<Terminal, 'env'>, timeoutMs?: number) {
    this.#timeoutMs = timeoutMs;
    const base = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config');
    this.#folder = join(base, 'octavo');
    this.path = join(this.#folder, 'notebooks.json');
  }

  /** @throws CommandFailed when the file exists but cannot be understood: overwriting it would lose edit tokens */
  async list(): Promise<KeptNotebook[]> {
    let text: string;
    try {
      text = await readFile(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
    const notebooks = readNotebooks(text);
    if (!notebooks)
      throw new CommandFailed(`${this.path} is damaged. It holds edit tokens, so it is left as it is: mend it, or move it away.`);
    return notebooks;
  }

  /**
   * Called before something is created whose edit token must be stored.
   * @throws CommandFailed when it could not be stored
   */
  async requireStorable(): Promise<void> {
    await this.#alone(() => this.list());
  }

  /**
   * Merges into the notebook's record; another `octavo` may be doing the same. Written to a temporary file and renamed: a crash leaves the
   * old file or the new one.
   * @param news files and images that are new or changed
   * @returns the whole record, including the other process's part
   */
  async keep(news: KeptNotebook): Promise<KeptNotebook> {
    return this.#alone(async () => {
      const all = await this.list();
      const isSame = ({ server, slug }: KeptNotebook) => server === news.server && slug === news.slug;
      const notebook = joined(all.find(isSame), news);
      await this.#write([...all.filter(kept => !isSame(kept)), notebook]);
      return notebook;
    });
  }

  async #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    return withLock(this.path, work, this.#timeoutMs);
  }

  async #write(notebooks: readonly KeptNotebook[]): Promise<void> {
    // A link to the file stays a link: people keep their configuration elsewhere.
    const place = await realpath(this.path).catch(() => this.path);
    const aside = `${place}.${process.pid}`;
    try {
      const file = await open(aside, 'w', 0o600);
      try {
        await file.writeFile(`${JSON.stringify({ notebooks }, null, 2)}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(aside, place);
    } catch (error) {
      // It holds edit tokens.
      await rm(aside, { force: true });
      throw error;
    }
  }
}

/** A page that was added has its file. A page being added keeps the first key that was created for it, so that it is added once. */
function joined(kept: KeptNotebook | undefined, news: KeptNotebook): KeptNotebook {
  const files = { ...kept?.files, ...news.files };
  const adding = Object.entries({ ...news.adding, ...kept?.adding }).filter(([path]) => !Object.hasOwn(files, path));
  return {
    ...kept,
    ...news,
    editToken: news.editToken ?? kept?.editToken,
    files,
    images: { ...kept?.images, ...news.images },
    adding: Object.fromEntries(adding),
  };
}

function readNotebooks(text: string): KeptNotebook[] | undefined {
  try {
    const { notebooks } = JSON.parse(text) as { notebooks: KeptNotebook[] };
    const whole = notebooks.every(({ server, slug, files }) => typeof server === 'string' && typeof slug === 'string' && files);
    return whole ? notebooks : undefined;
  } catch {
    return undefined;
  }
}
