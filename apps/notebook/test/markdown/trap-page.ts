import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';

/** Serves documents by number, without any policy: what keeps a script from running must be the html itself. */
export class OpenSite {
  readonly #documents: string[] = [];
  readonly #files = new Map<string, string>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const path = request.url ?? '/';
      const script = this.#files.get(path);
      const document = this.#documents[Number(/^\/documents\/(\d+)$/.exec(path)?.[1])];
      if (script !== undefined) response.writeHead(200, { 'content-type': 'text/javascript' }).end(script);
      else if (document !== undefined) response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(document);
      else response.writeHead(404, { 'content-type': 'text/plain' }).end('');
    });
  }

  static async start(): Promise<OpenSite> {
    const site = new OpenSite();
    await new Promise<void>(resolve => site.#server.listen(0, '127.0.0.1', resolve));
    return site;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  addFile(path: string, script: string): void {
    this.#files.set(path, script);
  }

  /** Gives the address back. Each body has its own element. */
  addDocument(...bodies: readonly string[]): string {
    const hosts = bodies.map((body, index) => `<main id="host${index || ''}">${body}</main>`).join('');
    const number = this.#documents.push(`<!doctype html><title>t</title><body>${hosts}</body>`) - 1;
    return `${this.origin}/documents/${number}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise(resolve => this.#server.close(resolve));
  }
}

/** Runs in the page: presses, hovers and focuses everything there is, and names addresses that no click may follow. */
function provoke(): string[] {
  const faults: string[] = [];
  document.addEventListener('click', event => event.preventDefault(), true);
  const kinds = [
    'pointerover',
    'mouseover',
    'mousemove',
    'click',
    'focus',
    'focusin',
    'toggle',
    'load',
    'error',
    'scroll',
    'animationstart',
  ];
  for (const element of document.querySelectorAll<HTMLElement>('body *')) {
    for (const kind of kinds) element.dispatchEvent(new Event(kind, { bubbles: true, cancelable: true }));
    for (const property of ['href', 'src', 'action', 'formAction', 'cite', 'longDesc', 'currentSrc']) {
      const value = (element as unknown as Record<string, unknown>)[property];
      if (typeof value !== 'string' || !URL.canParse(value)) continue;
      if (/^(?:javascript|vbscript|data|blob|file):/.test(new URL(value).protocol))
        faults.push(`${element.tagName} ${property}=${value}`);
    }
    for (const { name } of element.attributes) if (name.startsWith('on')) faults.push(`${element.tagName} ${name}`);
  }
  // Named elements must not stand where the page's own scripts look.
  if (
    !(document.body instanceof HTMLBodyElement) ||
    typeof document.cookie !== 'string' ||
    typeof document.getElementById !== 'function'
  )
    faults.push('the document is clobbered');
  if ('config' in window || document.baseURI !== location.href) faults.push('the window or the base is clobbered');
  return faults;
}

/** Runs in the page: which bodies are not there as a document of their own has them. */
function findSwallowed(bodies: string[]): string[] {
  const hosts = [...document.querySelectorAll('body > main')];
  const alone = (body: string) => new DOMParser().parseFromString(`<!doctype html><body><main>${body}</main>`, 'text/html');
  return bodies.filter((body, index) => hosts[index]?.innerHTML !== alone(body).querySelector('main')?.innerHTML);
}

/** A page in which whatever runs, asks or loads is written down. */
export class TrapPage {
  readonly #page: Page;
  #caught: string[] = [];

  private constructor(page: Page) {
    this.#page = page;
  }

  static async open(context: BrowserContext): Promise<TrapPage> {
    const page = await context.newPage();
    const trap = new TrapPage(page);
    await page.exposeFunction('reportRun', (how: string) => trap.#caught.push(`ran ${how}`));
    await page.addInitScript(() => {
      const report = (window as unknown as { reportRun(how: string): void }).reportRun;
      for (const name of ['alert', 'confirm', 'prompt', 'print', 'open'] as const)
        Object.defineProperty(window, name, { value: () => report(name), configurable: false });
    });
    page.on('dialog', dialog => {
      trap.#caught.push(`dialog ${dialog.message()}`);
      dialog.dismiss().catch(() => undefined);
    });
    page.on('console', message => message.type() !== 'error' && trap.#caught.push(`console ${message.text()}`));
    page.on('pageerror', error => trap.#caught.push(`script error ${error.message}`));
    page.on('popup', () => trap.#caught.push('popup'));
    page.on('frameattached', () => trap.#caught.push('frame'));
    page.on('request', request => {
      const kind = request.resourceType();
      if (kind !== 'image' && kind !== 'document') trap.#caught.push(`request for ${kind} ${request.url()}`);
    });
    return trap;
  }

  /** As a document of its own, as readers get it. */
  async visit(address: string): Promise<string[]> {
    this.#caught = [];
    await this.#page.goto(address, { waitUntil: 'load', timeout: 5_000 });
    return this.#provokeAndLeave();
  }

  /** Several in one document. Each is read as it would be on its own, or that is a fault: none hides another. */
  async visitTogether(address: string, bodies: readonly string[]): Promise<string[]> {
    const caught = await this.visit(address);
    const swallowed = await this.#page.evaluate(findSwallowed, [...bodies]).catch(error => [`could not look: ${String(error)}`]);
    return [...caught, ...swallowed];
  }

  /** Put into a running page by a script, as the preview does. The page is the one at `address`. */
  async insert(address: string, html: string): Promise<string[]> {
    this.#caught = [];
    if (this.#page.url() !== address) await this.#page.goto(address);
    await this.#page.evaluate(text => {
      document.getElementById('host')!.innerHTML = text;
    }, html);
    return this.#provokeAndLeave();
  }

  async #provokeAndLeave(): Promise<string[]> {
    const before = this.#page.url();
    const faults = await this.#page.evaluate(provoke).catch(error => [`could not look: ${String(error)}`]);
    // Errors of images and timers of refreshes need a turn.
    await this.#page.evaluate(nextTurn).catch(() => undefined);
    if (this.#page.url() !== before) faults.push(`went to ${this.#page.url()}`);
    return [...this.#caught, ...faults];
  }
}

/** Runs in the page: a repaint, and what waited behind it. */
function nextTurn(): Promise<void> {
  return new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)));
}
