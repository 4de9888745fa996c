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

async function catchAll(look: (trap: TrapPage, index: number) => Promise<string[]>): Promise<Map<string, string[]>> {
  const context = await browser.newContext();
  const trap = await TrapPage.open(context);
  const caught = new Map<string, string[]>();
  for (const [index, { name }] of xssCorpus.entries()) {
    const found = await look(trap, index);
    if (found.length > 0) caught.set(name, found);
  }
  await context.close();
  return caught;
}

describe('in a real browser, without any content security policy', () => {
  test('the trap catches scripts: most of the corpus runs when it is not sanitized', { timeout: 180_000 }, async () => {
    const caught = await catchAll((trap, index) =>
      trap.visit(site.addDocument(toUnsafeHtml(xssCorpus[index]!.markdown))).catch(() => []),
    );
    const ran = [...caught.values()].filter(what => what.some(how => how.startsWith('ran ') || how.startsWith('dialog ')));
    expect(ran.length).toBeGreaterThan(80);
  });

  test('nothing of the corpus runs, loads or steers when it is served as a document', { timeout: 120_000 }, async () => {
    const caught = await catchAll((trap, index) => trap.visit(site.addDocument(safe[index]!)));
    expect(caught).toEqual(new Map());
  });

  test('nor when a script puts it into a page', { timeout: 120_000 }, async () => {
    const address = site.addDocument('');
    const caught = await catchAll((trap, index) => trap.insert(address, safe[index]!));
    expect(caught).toEqual(new Map());
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
