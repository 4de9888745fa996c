import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
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

  static async start(launch?: () => Promise<Browser>, env?: Record<string, string>): Promise<EditorDesk> {
    return new EditorDesk(await ServiceInBrowser.start(launch, env));
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

  /** As somebody else would with the same edit link. */
  async saveElsewhere({ slug, pageId, editToken }: Made, markdown: string): Promise<void> {
    const answer = await fetch(`${this.service.origin}/api/notebooks/${slug}/pages/${pageId}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', 'x-edit-token': editToken },
      body: JSON.stringify({ markdown }),
    });
    if (!answer.ok) throw new Error(`Saving answered ${answer.status}`);
  }
}

/** A notebook body with these pages, each `# title` and a line. */
export const pagesNamed = (...titles: string[]) => ({ pages: titles.map(title => ({ markdown: `# ${title}\n\nOn ${title}.` })) });
