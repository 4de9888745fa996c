import type { BrowserContext, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Made } from '../support/service-process.ts';

export interface StoredPage {
  readonly id: string;
  readonly title: string;
  readonly markdown: string;
  readonly revision: number;
}

/** The service as another program sees it: what is stored, and what another writer does with the same edit link. */
export class Elsewhere {
  readonly origin: string;
  readonly made: Made;

  constructor(origin: string, made: Made) {
    this.origin = origin;
    this.made = made;
  }

  async pages(): Promise<StoredPage[]> {
    const answer = await this.#ask('GET', '/api/notebook');
    return ((await answer.json()) as { pages: StoredPage[] }).pages;
  }

  /** The text of the first page. */
  async text(): Promise<string> {
    return (await this.pages())[0]!.markdown;
  }

  save(markdown: string, pageId: string = this.made.pageId): Promise<Response> {
    return this.#change('PATCH', `/pages/${pageId}`, { markdown });
  }

  rename(title: string): Promise<Response> {
    return this.#change('PATCH', `/pages/${this.made.pageId}`, { title });
  }

  addPage(markdown: string): Promise<Response> {
    return this.#change('POST', '/pages', { markdown });
  }

  deletePage(pageId: string): Promise<Response> {
    return this.#change('DELETE', `/pages/${pageId}`);
  }

  /** @returns the same notebook, its pages replaced by new ones */
  async withFreshPages(pages: readonly { readonly markdown: string }[]): Promise<Elsewhere> {
    const [last, ...others] = await this.pages();
    // A notebook keeps one page, and may have no room for more than the new ones.
    for (const { id } of others) await this.deletePage(id);
    await this.save('', last!.id);
    for (const { markdown } of pages) await this.addPage(markdown);
    await this.deletePage(last!.id);
    const [first] = await this.pages();
    return new Elsewhere(this.origin, { ...this.made, pageId: first!.id });
  }

  changeSettings(settings: object): Promise<Response> {
    return this.#change('PATCH', '', settings);
  }

  deleteNotebook(): Promise<Response> {
    return this.#change('DELETE', '');
  }

  async snapshots(): Promise<number> {
    const answer = await this.#ask('GET', `/api/notebooks/${this.made.slug}/pages/${this.made.pageId}/snapshots`);
    return ((await answer.json()) as { items: unknown[] }).items.length;
  }

  async #change(method: string, path: string, body?: object): Promise<Response> {
    const answer = await this.#ask(method, `/api/notebooks/${this.made.slug}${path}`, body);
    expect(answer.ok, `${method} ${path} answered ${answer.status}`).toBe(true);
    return answer;
  }

  #ask(method: string, path: string, body?: object): Promise<Response> {
    const headers = { 'x-edit-token': this.made.editToken, ...(body ? { 'content-type': 'application/json' } : {}) };
    return fetch(this.origin + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  }
}

/** Asks again until it is so: saves and tabs take their time, on a busy machine more of it. */
export const eventually = <Value>(read: () => Value | Promise<Value>) => expect.poll(read, { timeout: 30_000 });

/** One window with the editor open. */
export class Writer {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  static async open(context: BrowserContext, { origin, made }: Elsewhere): Promise<Writer> {
    const writer = new Writer(await context.newPage());
    await writer.page.goto(`${origin}/e/${made.editToken}`);
    await writer.field.waitFor();
    return writer;
  }

  /** Like `open`, where the editor waits some seconds before it opens. The context's clock is installed. */
  static async openLater(context: BrowserContext, { origin, made }: Elsewhere): Promise<Writer> {
    const writer = new Writer(await context.newPage());
    await writer.page.goto(`${origin}/e/${made.editToken}`);
    await writer.comesToShow(writer.field);
    return writer;
  }

  /**
   * Loads pages that replaced all others (`withFreshPages`), shows the first, and says nothing more about what was before. To open
   * another editor would take most of a small test's time.
   */
  async startOver(elsewhere: Elsewhere): Promise<void> {
    await this.page.unrouteAll({ behavior: 'wait' });
    await this.page.keyboard.press('Escape');
    await this.page.evaluate(() => dispatchEvent(new Event('online')));
    const pages = await elsewhere.pages();
    const left = this.page.getByRole('button', { name: /^(Discard it|Dismiss)$/ });
    const rows = this.page.locator('[data-page]');
    const shown = () => rows.evaluateAll((all: HTMLElement[]) => all.map(({ dataset }) => dataset.page));
    await eventually(async () => {
      await left.evaluateAll((buttons: HTMLElement[]) => buttons[0]?.click());
      return [await left.count(), await shown()];
    }).toEqual([0, pages.map(({ id }) => id)]);
    await rows.first().locator('.page-pick').click();
    await rows.and(this.page.locator('[data-current]')).first().waitFor();
    await eventually(() => this.text()).toBe(pages[0]!.markdown);
    await this.comesTo('saved');
  }

  get field(): Locator {
    return this.page.locator('#markdown-field');
  }

  text(): Promise<string> {
    return this.field.inputValue();
  }

  /** Types where a text ends. */
  async typeAfter(words: string, typed: string): Promise<void> {
    await this.#placeCaret(words);
    await this.page.keyboard.insertText(typed);
  }

  async #placeCaret(words: string): Promise<void> {
    await this.field.evaluate((field: HTMLTextAreaElement, after) => {
      const place = field.value.indexOf(after) + after.length;
      field.focus();
      field.setSelectionRange(place, place);
    }, words);
  }

  /**
   * Its saves wait from now on: on a busy machine it would save before what the test does next.
   * @returns lets them through
   */
  async holdSaves(): Promise<() => Promise<void>> {
    await this.page.evaluate(() => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const send = window.fetch;
      window.fetch = async (path, how) => {
        if (how?.method === 'PATCH') await promise;
        return send(path, how);
      };
      addEventListener('let-saves-through', () => resolve());
    });
    return () => this.page.evaluate(() => void dispatchEvent(new Event('let-saves-through')));
  }

  caret(): Promise<string> {
    return this.field.evaluate(
      (field: HTMLTextAreaElement) => `${field.value.slice(0, field.selectionStart)}|${field.value.slice(field.selectionEnd)}`,
    );
  }

  async state(kind: string): Promise<void> {
    await this.page.locator(`[data-save-state="${kind}"]`).waitFor();
  }

  async says(words: string | RegExp): Promise<void> {
    await this.page.getByText(words).first().waitFor();
  }

  /** Seconds pass until then: those after the last key, and those between tries. The context's clock is installed. */
  comesTo(kind: string): Promise<void> {
    return this.comesToShow(this.page.locator(`[data-save-state="${kind}"]`));
  }

  /** The same for words. */
  comesToSay(words: string | RegExp): Promise<void> {
    return this.comesToShow(this.page.getByText(words).first());
  }

  /** Half a second at a time: answers come in real time, and must not come after a request's own time limit. */
  async comesToShow(shown: Locator): Promise<void> {
    const soon = async (): Promise<boolean> => {
      await this.page.clock.runFor(500);
      return shown.isVisible();
    };
    await eventually(soon).toBe(true);
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  titles(): Promise<string[]> {
    return this.page.locator('.page-pick').evaluateAll(picks => picks.map(pick => (pick.firstChild?.textContent ?? '').trim()));
  }

  /** Every draft that this browser holds, wherever. One that blocks its database holds none in it. */
  drafts(): Promise<string[]> {
    return this.page.evaluate(async () => {
      const keys = Object.keys(localStorage).filter(key => key.startsWith('octavo.draft'));
      let opening: IDBOpenDBRequest;
      try {
        opening = indexedDB.open('octavo', 1);
      } catch {
        return keys;
      }
      opening.onupgradeneeded = () => opening.result.createObjectStore('drafts');
      const database = await new Promise<IDBDatabase>(resolve => {
        opening.onsuccess = () => resolve(opening.result);
      });
      const reading = database.transaction('drafts').objectStore('drafts').getAll();
      const values = await new Promise<{ markdown?: string }[]>(resolve => {
        reading.onsuccess = () => resolve(reading.result);
      });
      database.close();
      return [...keys, ...values.flatMap(value => value.markdown ?? [])];
    });
  }

  /** The tab is gone, without being asked. What it sends in its last moment is lost: it would arrive where a network is back by then. */
  async vanish(): Promise<void> {
    await this.page.evaluate(() => {
      window.fetch = () => Promise.reject(new TypeError('gone'));
    });
    await this.page.close({ runBeforeUnload: false });
  }
}
