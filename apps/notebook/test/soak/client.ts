import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../../src/limits.ts';
import { type Asked, ask } from '../hostile/ask.ts';

/** What all clients met together. */
export class Tally {
  readonly statuses: Record<string, number> = {};
  /** Milliseconds of each answer, and when it came. */
  readonly answers: { readonly at: number; readonly millis: number }[] = [];
  /** Sentences of what must not be. */
  readonly faults: string[] = [];
  /** Nobody answers: the service was killed. */
  isDown = false;
  /** How often it was killed so far. */
  kills = 0;

  async count(what: string, run: () => Promise<Asked>): Promise<Asked> {
    const { kills } = this;
    const asked = await run();
    const isCut = asked.status === 0 && (this.isDown || this.kills !== kills);
    const name = isCut ? 'cut off by the kill' : String(asked.status);
    this.statuses[name] = (this.statuses[name] ?? 0) + 1;
    if (!isCut) this.answers.push({ at: performance.now(), millis: asked.millis });
    if (!isCut && ![200, 201, 503].includes(asked.status))
      this.faults.push(`${what} answered ${asked.status}: ${asked.body.slice(0, 200)}`);
    return asked;
  }
}

export interface Place {
  readonly port: number;
  readonly tally: Tally;
  readonly picture: Buffer;
  /** Views that everybody looks at. */
  readonly paths: readonly string[];
}

const savedText = (number: number) => `# A page\n\nsaved ${number} end\n\n${'Words of a page of ordinary size. '.repeat(60)}\n`;

/** One person: reads, saves their own page, writes new ones, searches, uploads; one thing after the other. Remembers what was acknowledged. */
export class Client {
  readonly #place: Place;
  readonly #from: string;
  #own: { readonly slug: string; readonly token: string; readonly page: string } | undefined;
  #acknowledged = 0;
  #tried = 0;
  #uploads = 0;
  readonly #kept: { readonly path: string; readonly holds: string | undefined }[] = [];

  constructor(place: Place, number: number) {
    this.#place = place;
    this.#from = `127.44.0.${number + 1}`;
  }

  async live(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const kind = Math.random();
      if (!this.#own) await this.#begin();
      else if (kind < 0.55) await this.#view(this.#place.paths[Math.floor(Math.random() * this.#place.paths.length)]!);
      else if (kind < 0.7) await this.lookAtOwn();
      else if (kind < 0.85) await this.#save(this.#own);
      else if (kind < 0.9) await this.#create();
      else if (kind < 0.98) await this.#search();
      else if (this.#uploads < limits.maxImagesPerNotebook) await this.#upload(this.#own);
      await sleep(this.#place.tally.isDown ? 100 : 20 + 60 * Math.random());
    }
  }

  /** @returns what was acknowledged and is not there, as sentences */
  async check(): Promise<string[]> {
    const lost: string[] = [];
    for (const { path, holds } of this.#kept) {
      const { status, body } = await this.#ask({ path });
      if (status !== 200 || (holds !== undefined && !body.includes(holds)))
        lost.push(`${path} answers ${status} without what was written`);
    }
    if (this.#own) await this.lookAtOwn();
    return lost;
  }

  /** A view is never older than the last save that was answered before it was asked for. */
  async lookAtOwn(): Promise<void> {
    const { tally } = this.#place;
    const least = this.#acknowledged;
    const { status, body } = await this.#view(`/n/${this.#own!.slug}`);
    if (status !== 200) return;
    const shown = Number(/saved (\d{1,9}) end/.exec(body)?.[1]);
    if (!(shown >= least && shown <= this.#tried))
      tally.faults.push(`a view shows ${shown}: ${least} was acknowledged, ${this.#tried} tried`);
  }

  get writes(): number {
    return this.#acknowledged + this.#kept.length;
  }

  #ask(question: Omit<Parameters<typeof ask>[1], 'from'>): Promise<Asked> {
    return ask(this.#place.port, { ...question, from: this.#from });
  }

  #view(path: string): Promise<Asked> {
    return this.#place.tally.count(`a view of ${path}`, () => this.#ask({ path }));
  }

  async #begin(): Promise<void> {
    const body = JSON.stringify({ pages: [{ markdown: savedText(0) }] });
    const made = await this.#place.tally.count('a create', () => this.#ask({ method: 'POST', path: '/api/notebooks', body }));
    if (made.status !== 201) return;
    const { notebook, editToken } = JSON.parse(made.body);
    this.#own = { slug: notebook.slug, token: editToken, page: notebook.pages[0].id };
  }

  async #save({ slug, token, page }: { slug: string; token: string; page: string }): Promise<void> {
    this.#tried += 1;
    const number = this.#tried;
    const body = JSON.stringify({ markdown: savedText(number) });
    const path = `/api/notebooks/${slug}/pages/${page}`;
    const { status } = await this.#place.tally.count('a save', () => this.#ask({ method: 'PATCH', path, body, token }));
    if (status === 200) this.#acknowledged = number;
  }

  async #create(): Promise<void> {
    const holds = `note ${Math.random().toString(36).slice(2)}`;
    const body = `# A note\n\n${holds}\n`;
    const question = { method: 'POST', path: '/api/quick', type: 'text/markdown', body };
    const { status, location } = await this.#place.tally.count('a quick note', () => this.#ask(question));
    if (status === 201 && location) this.#kept.push({ path: new URL(location, 'http://x').pathname, holds });
  }

  async #search(): Promise<void> {
    const word = ['words', 'page', 'ordinary', 'size'][Math.floor(Math.random() * 4)]!;
    await this.#place.tally.count('a search', () => this.#ask({ path: `/api/search?q=${word}` }));
  }

  async #upload({ slug, token }: { slug: string; token: string }): Promise<void> {
    const question = {
      method: 'POST',
      path: `/api/notebooks/${slug}/images`,
      type: 'image/png',
      body: this.#place.picture,
      token,
    };
    this.#uploads += 1;
    const { status, body } = await this.#place.tally.count('an upload', () => this.#ask(question));
    if (status === 201) this.#kept.push({ path: new URL(JSON.parse(body).url, 'http://x').pathname, holds: undefined });
  }
}
