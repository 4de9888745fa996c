import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { ServiceInBrowser } from '../support/service-in-browser.ts';
import type { Made, ServiceProcess } from '../support/service-process.ts';

export interface StoredNotebook {
  readonly title: string;
  readonly visibility: string;
  readonly pages: readonly { readonly id: string; readonly title: string; readonly markdown: string }[];
}

/** The real service and a real browser, for tests of the editor. */
export class EditorDesk {
  readonly #octavo: ServiceInBrowser;
  /** What the windows complained of. */
  readonly complaints: string[] = [];
  context!: BrowserContext;

  private constructor(octavo: ServiceInBrowser) {
    this.#octavo = octavo;
  }

  /** @param env settings, for a service of its own */
  static async start(launch?: () => Promise<Browser>, env?: Record<string, string>): Promise<EditorDesk> {
    return new EditorDesk(await (env ? ServiceInBrowser.start(launch, env) : ServiceInBrowser.borrow(launch)));
  }

  get service(): ServiceProcess {
    return this.#octavo.service;
  }

  get browser(): Browser {
    return this.#octavo.browser;
  }

  close(): Promise<void> {
    return this.#octavo.close();
  }

  create(body: object): Promise<Made> {
    return this.#octavo.create(body);
  }

  async newPage(options: BrowserContextOptions = {}): Promise<Page> {
    this.context = await this.browser.newContext(options);
    this.complaints.length = 0;
    return this.window();
  }

  /** Another window of the same browser. */
  async window(): Promise<Page> {
    const page = await this.context.newPage();
    page.setDefaultTimeout(30_000);
    page.on('pageerror', error => this.complaints.push(error.message));
    page.on('console', message => {
      // The browser reports each refused request and each lost connection by itself.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        this.complaints.push(message.text());
    });
    return page;
  }

  async open(page: Page, made: Made): Promise<void> {
    await page.goto(`${this.service.origin}/e/${made.editToken}`);
    await page.getByRole('textbox', { name: /^Markdown of/ }).waitFor();
  }

  async stored({ editToken }: Made): Promise<StoredNotebook> {
    const answer = await fetch(`${this.service.origin}/api/notebook`, { headers: { 'x-edit-token': editToken } });
    return (await answer.json()) as StoredNotebook;
  }

  /** As another writer would with the same edit link. */
  async saveElsewhere(made: Made, markdown: string): Promise<void> {
    await this.changePage(made, made.pageId, { markdown });
  }

  async changePage(made: Made, pageId: string, body: object): Promise<void> {
    await this.#ask(made, 'PATCH', `/pages/${pageId}`, body);
  }

  async change(made: Made, settings: object): Promise<void> {
    await this.#ask(made, 'PATCH', '', settings);
  }

  async deleteElsewhere(made: Made, pageId = made.pageId): Promise<void> {
    await this.#ask(made, 'DELETE', `/pages/${pageId}`);
  }

  /**
   * Gives an open editor other pages, for the next test: the old ones are gone, and with them what the editor knew of them. It is a tenth of
   * what another editor costs.
   * @returns the first of them, which is open
   */
  async renewPages(
    page: Page,
    made: Made,
    { pages }: { readonly pages: readonly { readonly markdown: string }[] },
  ): Promise<Made> {
    const ids = async () => (await this.stored(made)).pages.map(({ id }) => id);
    const row = (id: string) => page.locator(`li[data-page="${id}"]`);
    const before = await ids();
    await page.locator('[data-save-state="saved"]').waitFor();
    for (const body of pages) await this.#ask(made, 'POST', '/pages', body);
    const now = (await ids()).slice(before.length);
    await lookForChanges(page);
    await row(now[0]!).locator('.page-pick').click();
    for (const id of before) await this.deleteElsewhere(made, id);
    await lookForChanges(page);
    const shown = () => page.locator('li[data-page]').evaluateAll(rows => rows.map(each => (each as HTMLElement).dataset.page));
    await expect.poll(shown).toEqual(now);
    await expect.poll(() => page.locator('#markdown-field').inputValue()).toBe(pages[0]!.markdown);
    return { ...made, pageId: now[0]! };
  }

  async #ask({ slug, editToken }: Made, method: string, path: string, body?: object): Promise<void> {
    const answer = await fetch(`${this.service.origin}/api/notebooks/${slug}${path}`, {
      method,
      headers: { 'x-edit-token': editToken, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!answer.ok) throw new Error(`${method} answered ${answer.status}`);
  }
}

/** As when the network is back: the editor asks what is new. */
export const lookForChanges = (page: Page): Promise<unknown> => page.evaluate(() => dispatchEvent(new Event('online')));

/** A notebook body with these pages, each `# title` and a line. */
export const pagesNamed = (...titles: string[]) => ({ pages: titles.map(title => ({ markdown: `# ${title}\n\nOn ${title}.` })) });

/** The name of what has the focus. Of the page itself, if nothing has it, that is all its text. */
export function focusedName(page: Page): Promise<string | null | undefined> {
  return page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent);
}
