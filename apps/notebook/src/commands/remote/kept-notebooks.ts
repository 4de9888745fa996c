import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CannotDo, type Terminal } from '../command.ts';

/** A file that is a page of a notebook. */
export interface KeptFile {
  readonly pageId: string;
  /** The page's, when file and page were last the same. */
  readonly revision: number;
  /** The hash of the text that both had then. */
  readonly sha256: string;
}

/** Addresses of a notebook's images, by the hash of the file that each was pushed from or pulled into. */
export type KeptImages = Readonly<Record<string, string>>;

/** What this person's configuration folder knows of a notebook. */
export interface KeptNotebook {
  readonly server: string;
  readonly slug: string;
  /** Absent: pulled by its view link. */
  readonly editToken?: string | undefined;
  /** By absolute path. */
  readonly files: Readonly<Record<string, KeptFile>>;
  readonly images?: KeptImages | undefined;
}

/** `notebooks.json` in the configuration folder, readable by its owner only: it holds edit tokens. */
export class KeptNotebooks {
  readonly path: string;
  readonly #folder: string;

  constructor({ env }: Pick<Terminal, 'env'>) {
    const base = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config');
    this.#folder = join(base, 'octavo');
    this.path = join(this.#folder, 'notebooks.json');
  }

  /** @throws CannotDo when the file is there and not ours to understand: overwriting it would lose edit tokens */
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
      throw new CannotDo(`${this.path} is damaged. It holds edit tokens, so it is left as it is: mend it, or move it away.`);
    return notebooks;
  }

  /** In the place of what was kept of the same notebook. Written aside and renamed: a crash leaves the old file or the new one. */
  async keep(notebook: KeptNotebook): Promise<void> {
    const others = (await this.list()).filter(({ server, slug }) => server !== notebook.server || slug !== notebook.slug);
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const aside = `${this.path}.${process.pid}`;
    const file = await open(aside, 'w', 0o600);
    try {
      await file.writeFile(`${JSON.stringify({ notebooks: [...others, notebook] }, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(aside, this.path);
  }
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
