import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toUnsafeHtml } from '../../src/markdown/engine.ts';
import type { PreviewAnswer } from '../../src/markdown/preview-worker.ts';
import type { Renderer } from '../../src/markdown/rendered.ts';
import { createRenderer } from '../../src/markdown/renderer.ts';
import { launchChromium } from '../support/browser.ts';
import { bundlePreviewWorker } from './preview-bundle.ts';
import { OpenSite, TrapPage } from './trap-page.ts';
import { xssCorpus } from './xss-corpus.ts';

let browser: Browser;
let site: OpenSite;
let renderer: Renderer;
let safe: string[];

beforeAll(async () => {
  browser = await launchChromium();
  site = await OpenSite.start();
  renderer = createRenderer();
  // One after the other: the line of the renderer is bounded, and what it sends away is plain and proves nothing.
  safe = [];
  for (const { markdown } of xssCorpus) {
    const rendered = await renderer.render(markdown);
    expect(rendered.plain).not.toBe('busy');
    safe.push(rendered.html);
  }
});

afterAll(async () => {
  await browser?.close();
  await renderer?.close();
  await site?.close();
});

async function withTrap(work: (trap: TrapPage) => Promise<void>): Promise<void> {
  const context = await browser.newContext();
  await work(await TrapPage.open(context));
  await context.close();
}

/** What runs by itself is here; the rest waits for a click, or overwrites names. */
const eager = /^(?:scripts|event handlers|svg|mutation|elements|through|odd)/;

describe('in a real browser, without any content security policy', () => {
  test('the trap catches scripts: most of the corpus runs when it is not sanitized', { timeout: 180_000 }, async () => {
    const [first, last] = [xssCorpus.filter(({ name }) => eager.test(name)), xssCorpus.filter(({ name }) => !eager.test(name))];
    let ran = 0;
    await withTrap(async trap => {
      for (const { markdown } of [...first, ...last]) {
        const found = await trap.visit(site.addDocument(toUnsafeHtml(markdown))).catch(() => []);
        if (found.some(how => how.startsWith('ran ') || how.startsWith('dialog '))) ran += 1;
        if (ran > 80) break;
      }
    });
    expect(ran).toBeGreaterThan(80);
  });

  test('nothing of the corpus runs, loads or steers when it is served as a document', { timeout: 120_000 }, async () => {
    const together = 12;
    await withTrap(async trap => {
      for (let start = 0; start < safe.length; start += together) {
        const bodies = safe.slice(start, start + together);
        const names = xssCorpus.slice(start, start + together).map(({ name }) => name);
        expect([names, await trap.visitTogether(site.addDocument(...bodies), bodies)]).toEqual([names, []]);
      }
    });
  });

  test('nor when a script puts it into a page', { timeout: 120_000 }, async () => {
    const address = site.addDocument('');
    await withTrap(async trap => {
      for (const [index, { name }] of xssCorpus.entries())
        expect([name, await trap.insert(address, safe[index]!)]).toEqual([name, []]);
    });
  });

  test('the preview makes the same html, byte for byte', { timeout: 120_000 }, async () => {
    site.addFile('/preview-worker.js', await bundlePreviewWorker());
    const page = await browser.newPage();
    await page.goto(site.addDocument(''));
    const previewed = await page.evaluate(
      async texts => {
        const worker = new Worker('/preview-worker.js', { type: 'module' });
        worker.postMessage('fetch formulas');
        await new Promise<void>(resolve => {
          worker.addEventListener('message', ({ data }) => {
            if (data === 'formulas') resolve();
          });
        });
        const answers = texts.map(
          (markdown, id) =>
            new Promise<string>((resolve, reject) => {
              worker.addEventListener('error', event => reject(new Error(event.message)));
              worker.addEventListener('message', (event: MessageEvent<PreviewAnswer>) => {
                if (event.data.id === id) resolve(event.data.splices.flatMap(splice => splice.insert).join(''));
              });
              worker.postMessage({ id, page: String(id), markdown, sourceLines: false });
            }),
        );
        return Promise.all(answers);
      },
      xssCorpus.map(({ markdown }) => markdown),
    );
    await page.close();
    // A lone surrogate cannot be handed to a page unharmed; the renderer replaces it on both sides.
    expect(previewed).toEqual(safe);
  });
});
