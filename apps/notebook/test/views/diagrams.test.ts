import type { Frame, Page, Request, Route } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ServiceInBrowser } from '../support/service-in-browser.ts';
import { findFaults } from './axe.ts';

const fence = (source: string) => `\`\`\`mermaid\n${source}\n\`\`\`\n`;
const flow = 'flowchart LR\n  accTitle: From paper to shelf\n  A[Paper] --> B[Shelf]';

let octavo: ServiceInBrowser;

beforeAll(async () => {
  octavo = await ServiceInBrowser.borrow();
});
afterAll(() => octavo?.close());

/** One window for the tests of a group, each as in a window that was just opened. */
function inOneWindow(): () => Page {
  let page: Page;
  beforeAll(async () => {
    page = await octavo.browser.newPage({ serviceWorkers: 'block' });
    await page.goto(`${octavo.origin}/robots.txt`);
  });
  afterAll(() => page?.close());
  beforeEach(async () => {
    await page.unrouteAll();
    await page.emulateMedia({ media: null, colorScheme: null });
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.evaluate(() => localStorage.clear());
  });
  return () => page;
}

const make = async (markdown: string) => octavo.create({ title: 'Drawn', pages: [{ markdown }] });
const allDrawn = (page: Page) => page.locator('html[data-diagrams="drawn"]').waitFor();
const shownScheme = (page: Page) =>
  page
    .locator('.diagram img')
    .evaluateAll(images =>
      images.filter(image => getComputedStyle(image).display !== 'none').map(image => image.className.split(' ')[0]),
    );

describe('what is sent', () => {
  it('only a page with a diagram brings the script and may have frames', async () => {
    for (const [markdown, has] of [
      [`# a\n\n${fence(flow)}`, true],
      ['# a\n\n```js\nmermaid\n```\n\n`data-frames`', false],
    ] as const) {
      const { slug } = await make(markdown);
      for (const path of [`/n/${slug}`, `/n/${slug}/print`]) {
        const answer = await fetch(octavo.origin + path);
        expect(answer.headers.get('content-security-policy'), path).toContain(has ? "frame-src 'self'" : "frame-src 'none'");
        expect(/<script[^>]*diagrams/.test(await answer.text()), path).toBe(has);
      }
    }
  });

  it('the frame has an origin of its own, our scripts, and nothing else', async () => {
    const answer = await fetch(`${octavo.origin}/diagram`);
    const policy = answer.headers.get('content-security-policy')!.split('; ');
    expect(policy).toContain("default-src 'none'");
    // By nonce, because WebKit takes 'self' for the sandbox's own origin.
    expect(policy.find(part => part.startsWith('script-src'))).toMatch(/^script-src 'nonce-[\w-]{22}'$/);
    expect((await fetch(`${octavo.origin}/diagram`)).headers.get('content-security-policy')).not.toBe(policy.join('; '));
    expect(policy).toContain("frame-ancestors 'self'");
    expect(policy).toContain('sandbox allow-scripts');
    expect(policy.join()).not.toMatch(/connect|img|unsafe-eval|https?:/);
    expect(answer.headers.get('x-frame-options')).toBe('SAMEORIGIN');
  });
});

describe('on the page', () => {
  const window = inOneWindow();

  it('is drawn in the colors of the page, named, with its source at hand, and light on paper', async () => {
    const { slug } = await make(`# a\n\n${fence(flow)}`);
    const page = window();
    await page.emulateMedia({ colorScheme: 'dark' });
    const complaints: string[] = [];
    page.on('console', message => message.type() === 'error' && complaints.push(message.text()));
    await page.goto(`${octavo.origin}/n/${slug}`);
    await allDrawn(page);
    await page.getByRole('img', { name: 'Diagram: From paper to shelf' }).waitFor();
    await expect.poll(() => shownScheme(page)).toEqual(['diagram-dark']);
    await expect.poll(() => page.locator('.prose > pre').count()).toBe(0);
    await page.getByText('Source of the diagram').click();
    await expect.poll(() => page.locator('.diagram pre').innerText()).toBe(`${flow}\n`);
    await expect.poll(() => findFaults(page)).toEqual([]);
    await page.emulateMedia({ media: 'print' });
    await expect.poll(() => shownScheme(page)).toEqual(['diagram-light']);
    await page.emulateMedia({ media: 'screen' });
    await page.getByRole('button', { name: 'Dark mode' }).click();
    await expect.poll(() => shownScheme(page)).toEqual(['diagram-light']);
    expect(complaints).toEqual([]);
  });

  it('the print view draws before anybody prints, light whatever the reader prefers, and a wide one scrolls by itself', async () => {
    const wide = `flowchart LR\n  ${['Paper', 'Scissors', 'Thread', 'Needle', 'Glue', 'Cloth', 'Shelf'].map((name, at) => `${at}[${name}]`).join(' --> ')}`;
    const { slug } = await make(`${fence(wide)}\n\n${fence('pie\n "a" : 1\n "b" : 2')}`);
    const page = window();
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.goto(`${octavo.origin}/n/${slug}/print`);
    await allDrawn(page);
    await expect.poll(() => shownScheme(page)).toEqual(['diagram-light', 'diagram-light']);
    await page.setViewportSize({ width: 390, height: 844 });
    const sideways = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    await expect.poll(() => sideways('.diagram')).toBeGreaterThan(0);
    expect(await sideways('html')).toBe(0);
  });

  it('stays a block of code without scripts, and where it cannot be drawn', async () => {
    const { slug } = await make(fence('flowchart LR\n  A -->'));
    const silent = await octavo.browser.newContext({ javaScriptEnabled: false });
    const still = await silent.newPage();
    await still.goto(`${octavo.origin}/n/${slug}`);
    await expect.poll(() => still.locator('.prose pre').innerText()).toContain('A -->');
    await silent.close();
    const page = window();
    await page.goto(`${octavo.origin}/n/${slug}`);
    await allDrawn(page);
    await expect.poll(() => page.locator('.diagram-problem').innerText()).toContain('This diagram cannot be drawn');
    await expect.poll(() => page.locator('.prose pre').innerText()).toContain('A -->');
  });

  it('is named in whole characters, however long its description is', async () => {
    const line = '😀'.repeat(190);
    // One of the two is cut where a character has its middle.
    const described = ['', 'x'].map(start => fence(`flowchart LR\n  accDescr {\n${start}${line}\n${line}\n}\n  A --> B`));
    const { slug } = await make(described.join('\n\n'));
    const page = window();
    await page.goto(`${octavo.origin}/n/${slug}`);
    await allDrawn(page);
    const names = () => page.locator('.diagram img').evaluateAll(images => images.map(image => image.getAttribute('alt')!));
    const isWhole = (name: string) => [name.length > 490, name.isWellFormed()];
    await expect
      .poll(async () => (await names()).map(isWhole))
      .toEqual([
        [true, true],
        [true, true],
      ]);
  });

  it('what runs in the frame reaches neither the page nor its storage nor the network', async () => {
    const { slug, editToken } = await make(fence(flow));
    const page = window();
    await page.goto(`${octavo.origin}/n/${slug}`);
    await page.evaluate(token => localStorage.setItem('octavo.test', token), editToken);
    await allDrawn(page);
    const frame = page.frames().find(candidate => candidate.url().endsWith('/diagram'))!;
    const reached = await frame.evaluate(async origin => {
      const tries: Record<string, () => unknown> = {
        'the page': () => parent.document.title,
        'its storage': () => localStorage.length,
        cookies: () => document.cookie,
        'the network': () => fetch(`${origin}/healthz`),
        'an image': () =>
          new Promise((resolve, reject) =>
            Object.assign(new Image(), { onload: resolve, onerror: reject, src: `${origin}/favicon.svg` }),
          ),
        eval: () => Function('return 1')(),
      };
      const open: string[] = [];
      for (const [name, attempt] of Object.entries(tries)) {
        try {
          await attempt();
          open.push(name);
        } catch {}
      }
      return open;
    }, octavo.origin);
    expect(reached).toEqual([]);
  });
});

describe('on a bad line', () => {
  const words = 'This diagram can’t be drawn now, because what draws it didn’t load. Try again';
  const window = inOneWindow();
  let page: Page;
  // Time passes as it does anywhere, and more of it where a test says so.
  beforeAll(() => window().clock.install());
  beforeEach(() => {
    page = window();
  });

  const isScript = ({ pathname }: URL) => pathname.startsWith('/assets/');
  const isPart = ({ pathname }: URL) => /^\/assets\/(?:mermaid|flowDiagram|pieDiagram)/.test(pathname);
  const ofFrame = (route: Route) => route.request().frame() !== page.mainFrame();
  const stop = (route: Route) => (ofFrame(route) ? route.abort() : route.continue());
  /** Lets the time pass for which it is waited for. */
  const leave = (millis: number) => {
    const waited = new Set<Frame>();
    return async (route: Route) => {
      const frame = route.request().frame();
      if (!ofFrame(route)) return route.continue();
      if (waited.has(frame)) return;
      waited.add(frame);
      await page.clock.fastForward(millis);
    };
  };
  // A frame waits nine seconds for a part of the engine; the page has begun a moment before and waits for ten: it may not be the first.
  const mostOfNine = 7_000;
  const faults: [string, (url: URL) => boolean, (route: Route) => unknown][] = [
    ['its frame does not come', url => url.pathname === '/diagram', route => route.abort()],
    ['its script does not come', isScript, stop],
    ['its script does not end', isScript, leave(20_000)],
    ['a part of the engine does not end', isPart, leave(mostOfNine)],
  ];

  it.each(faults)('where %s: the page says what is so, and draws on a press', async (_, what, how) => {
    const { slug } = await make(`# a\n\n${fence(flow)}\n\n${fence('pie\n "a" : 1')}`);
    let mayFail = Promise.resolve();
    await page.route(what, async route => {
      await mayFail;
      return how(route);
    });
    await page.goto(`${octavo.origin}/n/${slug}`);
    await expect.poll(() => page.locator('.diagram-problem').allInnerTexts(), { timeout: 60_000 }).toEqual([words, words]);
    await expect.poll(() => page.locator('.prose pre').allInnerTexts()).toHaveLength(2);
    // It is the same message, whatever did not come.
    if (how === stop) await expect.poll(() => findFaults(page)).toEqual([]);
    // The second try can fail before the press returns.
    const trying = Promise.withResolvers<void>();
    mayFail = trying.promise;
    await page.getByRole('button', { name: 'Try again' }).first().press('Enter');
    await page.getByRole('status').filter({ hasText: 'Trying again…' }).waitFor();
    trying.resolve();
    await expect.poll(() => page.locator('.diagram-problem').first().innerText(), { timeout: 60_000 }).toBe(words);
    await page.unroute(what);
    await page.getByRole('button', { name: 'Try again' }).first().press('Enter');
    await page.getByRole('img', { name: 'Diagram: From paper to shelf' }).waitFor();
    await expect.poll(() => page.locator('.diagram img').count()).toBe(2);
    await expect.poll(() => page.locator('.diagram-problem').count()).toBe(0);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Source of the diagram');
  });

  it('where the worker that lays out does not come: the others are drawn', async () => {
    const { slug } = await make(`${fence(flow)}\n\n${fence('pie\n "a" : 1')}`);
    await page.route('**/layout-worker-*', async route => {
      await route.abort();
      await page.clock.fastForward(5_000);
    });
    await page.goto(`${octavo.origin}/n/${slug}`);
    await expect.poll(() => page.locator('.diagram-problem').allInnerTexts(), { timeout: 60_000 }).toEqual([words]);
    await expect.poll(() => page.locator('.diagram img').count()).toBe(1);
  });

  it('is drawn where the press came while a part of the engine was still awaited', async () => {
    const { slug } = await make(`${fence(flow)}\n\n${fence('pie\n "a" : 1')}`);
    let asked = 0;
    // The flow chart's part does not come, the pie's does not end.
    await page.route(isPart, route => {
      if (!ofFrame(route)) return route.continue();
      if (!/\/pieDiagram/.test(route.request().url()))
        return /\/flowDiagram/.test(route.request().url()) ? route.abort() : route.continue();
      asked += 1;
      return undefined;
    });
    await page.goto(`${octavo.origin}/n/${slug}`);
    await page.getByText(words).waitFor();
    await expect.poll(() => asked).toBe(1);
    await page.unroute(isPart);
    await page.getByRole('button', { name: 'Try again' }).press('Enter');
    await expect.poll(() => page.locator('.diagram img').count(), { timeout: 60_000 }).toBe(2);
  });

  it('draws by itself when the line is back', async () => {
    const { slug } = await make(fence(flow));
    await page.route('**/diagram', route => route.abort());
    await page.goto(`${octavo.origin}/n/${slug}`);
    await page.getByText(words).waitFor();
    await page.unroute('**/diagram');
    await page.evaluate(() => dispatchEvent(new Event('online')));
    await page.getByRole('img', { name: 'Diagram: From paper to shelf' }).waitFor();
    await expect.poll(() => page.locator('.diagram-problem').count()).toBe(0);
  });
});

const hostile = [
  'flowchart LR\n  A["<img src=https://evil.example/a.png onerror=parent.pwned=1>"] --> B',
  'flowchart LR\n  A["<script>parent.pwned=1</script>"] --> B["<iframe src=https://evil.example/b></iframe>"]',
  'flowchart LR\n  A --> B\n  click A "javascript:parent.pwned=1"\n  click B call alert("pwned")',
  '%%{init: {"securityLevel": "loose", "htmlLabels": true}}%%\nflowchart LR\n  A["<img src=x onerror=alert(1)>"] --> B\n  click A call alert()',
  '%%{init: {"themeCSS": "@import url(https://evil.example/c.css); * { background: url(https://evil.example/d.png) }"}}%%\nflowchart LR\n  A --> B',
  '%%{init: {"fontFamily": "x; background: url(https://evil.example/e.png)"}}%%\nflowchart LR\n  A --> B',
  'flowchart LR\n  A --> B\n  style A fill:url(https://evil.example/f.png)\n  classDef x background:url(https://evil.example/g.png)\n  class B x',
  'flowchart LR\n  A@{ img: "https://evil.example/h.png", label: "x" }',
  '%%{init: {"__proto__": {"pwned": 1}, "constructor": {"prototype": {"pwned": 1}}}}%%\nflowchart LR\n  A --> B',
  'sequenceDiagram\n  participant A as <img src=x onerror=alert(1)>\n  A->>A: <svg onload=alert(1)>\n  link A: Go @ javascript:alert(1)',
  'classDiagram\n  class A\n  link A "javascript:alert(1)" "x"\n  callback A "alert" "x"',
  `flowchart LR\n${Array.from({ length: 900 }, (_, i) => `  A${i} --> A${i + 1}`).join('\n')}`,
  `flowchart LR\n  A["${'x'.repeat(30_000)}"]`,
];

it('hostile texts run nothing in the page, ask nobody for anything, and the page goes on', { timeout: 90_000 }, async () => {
  const { slug } = await make([...hostile, flow].map(fence).join('\n'));
  const context = await octavo.browser.newContext();
  const page = await context.newPage();
  const caught: string[] = [];
  const note = (request: Request): void => {
    const { protocol, origin } = new URL(request.url());
    // One that the policy stopped was never sent.
    if (protocol !== 'data:' && origin !== octavo.origin && request.failure()?.errorText !== 'csp') caught.push(request.url());
  };
  page.on('requestfinished', note);
  page.on('requestfailed', note);
  page.on('dialog', dialog => {
    caught.push(dialog.message());
    void dialog.dismiss();
  });
  page.on('popup', popup => caught.push(popup.url()));
  await page.goto(`${octavo.origin}/n/${slug}`);
  await page.locator('html[data-diagrams="drawn"]').waitFor({ timeout: 80_000 });
  await page.getByRole('img', { name: 'Diagram: From paper to shelf' }).waitFor();
  for (const image of await page.locator('.diagram img').all()) await image.click({ force: true });
  expect(await page.evaluate(() => 'pwned' in window || 'pwned' in {})).toBe(false);
  await expect
    .poll(() => page.locator('iframe').evaluateAll(frames => frames.map(frame => frame.getAttribute('sandbox'))))
    .toEqual(['allow-scripts']);
  // Over the bounds of length and of lines: source, with a word about it.
  await expect.poll(() => page.locator('.diagram-problem').count()).toBeGreaterThanOrEqual(2);
  expect(caught).toEqual([]);
  expect(page.url()).toBe(`${octavo.origin}/n/${slug}`);
  await context.close();
});

const markdownField = (page: Page) => page.getByRole('textbox', { name: /^Markdown of/ });
const sources = (page: Page) => page.locator('.preview-pane .diagram pre').allTextContents();

describe('in the editor’s preview', () => {
  let page: Page;
  beforeAll(async () => {
    const { editToken } = await make('# Empty');
    page = await octavo.browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${octavo.origin}/e/${editToken}`);
  });
  afterAll(() => page?.close());

  it('it is drawn, and a key elsewhere in the text leaves it standing', async () => {
    await markdownField(page).fill(`# a\n\n${fence(flow)}\n\nend`);
    await page.locator('.preview-pane p', { hasText: /^end$/ }).waitFor();
    await page.locator('.preview-pane .diagram img').first().waitFor();
    await page.evaluate(() => {
      const shown = document.querySelector('.preview-pane .diagram img');
      Object.assign(window, { shown });
    });
    await markdownField(page).press('Control+End');
    await page.keyboard.type(' of the page');
    await page.locator('.preview-pane p', { hasText: 'end of the page' }).waitFor();
    await expect.poll(() => page.evaluate(() => (window as unknown as { shown: Element }).shown.isConnected)).toBe(true);
    await expect.poll(() => page.locator('.preview-pane .diagram').count()).toBe(1);
  });

  it('it stays drawn where only a link beside it leads elsewhere', async () => {
    await markdownField(page).fill(`> [there](#end)\n>\n> ${fence(flow).trim().replaceAll('\n', '\n> ')}\n\n# End`);
    await page.locator('.preview-pane blockquote .diagram img').first().waitFor({ state: 'attached' });
    await markdownField(page).press('Control+End');
    await page.keyboard.type('ing');
    await page.locator('.preview-pane h1', { hasText: 'Ending' }).waitFor();
    await expect.poll(() => sources(page)).toEqual([`${flow}\n`]);
    await expect.poll(() => page.locator('.preview-pane blockquote > pre').count()).toBe(0);
  });

  it('what the text says now is drawn, though the drawing of what it said before comes later', async () => {
    const older = 'flowchart LR\n  A[Older] --> B[Shelf]';
    const newer = older.replace('Older', 'Newer');
    const { editToken } = await make(fence(older));
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/diagram', async route => {
      await released;
      await route.continue();
    });
    const asked = page.waitForRequest('**/diagram');
    await page.goto(`${octavo.origin}/e/${editToken}`);
    await asked;
    await markdownField(page).fill(fence(newer));
    await page.locator('.preview-pane pre', { hasText: 'Newer' }).waitFor();
    release();
    await page.locator('.preview-pane .diagram img').first().waitFor({ state: 'attached' });
    await expect.poll(() => sources(page)).toEqual([`${newer}\n`]);
    await expect.poll(() => page.locator('.preview-pane pre').count()).toBe(1);
  });
});
