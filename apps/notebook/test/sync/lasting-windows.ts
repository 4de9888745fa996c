import type { BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeEach } from 'vitest';
import type { Made } from '../support/service-process.ts';
import { Elsewhere, eventually, Writer } from './writer.ts';

interface Service {
  readonly origin: string;
  create(body: object): Promise<Made>;
}

interface Wanted {
  readonly octavo: () => Service;
  /** Where the windows find it, if that is somewhere else. */
  readonly through?: () => string;
  readonly pages: readonly { readonly markdown: string }[];
  readonly count: number;
  /** With an installed clock. */
  readonly newContext: () => Promise<BrowserContext>;
}

/** Seconds after the last key, and between tries, pass at the word of the test. */
export async function withClock(opening: Promise<BrowserContext>): Promise<BrowserContext> {
  const context = await opening;
  await context.clock.install();
  return context;
}

/**
 * Windows with one notebook, for all tests around: each test finds fresh pages in them, and no words of another test. To open an editor for
 * each test would take most of its time. After a failure, they are others; a window that a test closed is opened again.
 */
export class LastingWindows {
  /** A test that changes the edit link tells it here. */
  elsewhere!: Elsewhere;
  context!: BrowserContext;
  #open: readonly Writer[] = [];
  readonly #wanted: Wanted;

  private constructor(wanted: Wanted) {
    this.#wanted = wanted;
  }

  static forTestsHere(wanted: Wanted): LastingWindows {
    const windows = new LastingWindows(wanted);
    beforeEach(() => windows.#makeFresh());
    afterEach(async ({ task }) => {
      if (task.result?.state === 'fail') await windows.#close();
    });
    afterAll(() => windows.#close());
    return windows;
  }

  get first(): Writer {
    return this.#open[0]!;
  }

  /** A test that closed it, and opened the notebook in another window of the same browser, tells it here. */
  set first(writer: Writer) {
    this.#open = [writer, ...this.#open.slice(1)];
  }

  get second(): Writer {
    return this.#open[1]!;
  }

  async #makeFresh(): Promise<void> {
    const { octavo, through, pages, count, newContext } = this.#wanted;
    this.#open = this.#open.filter(({ page }) => !page.isClosed());
    if (this.#open.length > 0) this.elsewhere = await this.elsewhere.withFreshPages(pages);
    else {
      this.elsewhere = new Elsewhere(octavo().origin, await octavo().create({ pages }));
      await this.context?.close();
      this.context = await newContext();
    }
    const kept = this.#open;
    const inWindows = new Elsewhere(through?.() ?? octavo().origin, this.elsewhere.made);
    while (this.#open.length < count) this.#open = [...this.#open, await Writer.open(this.context, inWindows)];
    if (kept.length === 0) return;
    await this.context.setOffline(false);
    for (const writer of this.#open) await writer.startOver(this.elsewhere);
    await eventually(() => this.first.drafts()).toEqual([]);
  }

  async #close(): Promise<void> {
    this.#open = [];
    await this.context?.close();
  }
}
