import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Running } from '../view/servers.ts';
import type { Grown } from './worlds.ts';

/** The time of each answer, in milliseconds. */
export interface MixedTimes {
  readonly views: number[];
  readonly all: number[];
}

interface Place {
  readonly origin: string;
  readonly paths: readonly string[];
  readonly rareWord: string;
  readonly isOver: () => boolean;
  readonly count: (kind: 'view' | 'other', millis: number) => void;
}

interface Question {
  readonly method?: string;
  readonly path: string;
  readonly body?: string;
  readonly type?: string;
  readonly token?: string;
}

const people = 64;
const text = (number: number) => `# A page\n\nsaved ${number} end\n\n${'Words of a page of ordinary size. '.repeat(60)}\n`;

/** One person: reads the world, saves a page, writes notes, searches; one thing after the other, with pauses of 20 to 80 ms. */
class Person {
  readonly #place: Place;
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  #next: number;
  #own: { readonly slug: string; readonly token: string; readonly page: string } | undefined;
  #saves = 0;

  constructor(place: Place, number: number) {
    this.#place = place;
    // Each person reads a different part of the draws.
    this.#next = Math.floor((place.paths.length / people) * number);
  }

  async live(): Promise<void> {
    while (!this.#place.isOver()) {
      const kind = Math.random();
      if (!this.#own) await this.#begin();
      else if (kind < 0.7) await this.#view();
      else if (kind < 0.87) await this.#save(this.#own);
      else if (kind < 0.92) await this.#note();
      else await this.#search();
      await sleep(20 + 60 * Math.random());
    }
    this.#agent.destroy();
  }

  async #view(): Promise<void> {
    const { paths } = this.#place;
    this.#next = (this.#next + 1) % paths.length;
    await this.#ask('view', { path: paths[this.#next]! });
  }

  async #begin(): Promise<void> {
    const body = JSON.stringify({ pages: [{ markdown: text(0) }] });
    const { notebook, editToken } = JSON.parse(await this.#ask('other', { method: 'POST', path: '/api/notebooks', body }));
    this.#own = { slug: notebook.slug, token: editToken, page: notebook.pages[0].id };
  }

  async #save({ slug, token, page }: { slug: string; token: string; page: string }): Promise<void> {
    this.#saves += 1;
    const body = JSON.stringify({ markdown: text(this.#saves) });
    await this.#ask('other', { method: 'PATCH', path: `/api/notebooks/${slug}/pages/${page}`, body, token });
  }

  async #note(): Promise<void> {
    await this.#ask('other', { method: 'POST', path: '/api/quick', type: 'text/markdown', body: text(0) });
  }

  async #search(): Promise<void> {
    await this.#ask('other', { path: `/api/search?q=${this.#place.rareWord}` });
  }

  #ask(kind: 'view' | 'other', { method = 'GET', path, body, type = 'application/json', token }: Question): Promise<string> {
    const headers: Record<string, string> = { 'accept-encoding': kind === 'view' ? 'br' : 'identity' };
    if (body !== undefined) headers['content-type'] = type;
    if (token) headers['x-edit-token'] = token;
    const started = performance.now();
    return new Promise((resolve, reject) => {
      const request = http.request(this.#place.origin + path, { method, headers, agent: this.#agent }, response => {
        const parts: Buffer[] = [];
        response.on('data', part => parts.push(part));
        response.on('end', () => {
          this.#place.count(kind, performance.now() - started);
          const answer = Buffer.concat(parts);
          if (response.statusCode! < 300) resolve(answer.toString());
          else reject(new Error(`${method} ${path} answered ${response.statusCode}: ${answer}`));
        });
      });
      request.on('error', reject).end(body);
    });
  }
}

/** 64 people for this many seconds, after as long a warm-up: a service in use already has in memory what it keeps there. */
export async function liveTogether(
  { url: origin }: Running,
  { rareWord }: Grown,
  paths: readonly string[],
  seconds: number,
): Promise<MixedTimes> {
  const times: MixedTimes = { views: [], all: [] };
  const begun = performance.now();
  const passed = () => (performance.now() - begun) / 1_000;
  const place: Place = {
    origin,
    paths,
    rareWord,
    isOver: () => passed() > 2 * seconds,
    count(kind, millis) {
      if (passed() < seconds) return;
      times.all.push(millis);
      if (kind === 'view') times.views.push(millis);
    },
  };
  await Promise.all(Array.from({ length: people }, (_, number) => new Person(place, number).live()));
  return times;
}
