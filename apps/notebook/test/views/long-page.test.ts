import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Found, find, scrollPageOf, scrollTo, settled } from '../engines/scroll-page.ts';
import { playwrightWindow } from '../support/browser-window.ts';
import { Person } from '../support/person.ts';
import { EditorDesk } from './editor-desk.ts';

let desk: EditorDesk;
let page: Page;
let person: Person;

const text = scrollPageOf(60);

beforeAll(async () => {
  desk = await EditorDesk.start();
});
afterAll(() => desk?.close());
beforeEach(async () => {
  const { editToken } = await desk.create({ title: 'Long', pages: [{ markdown: text }] });
  page = await desk.newPage({ viewport: { width: 1440, height: 900 } });
  person = new Person(playwrightWindow(page, ''), desk.service.origin);
  await page.goto(`${desk.service.origin}/e/${editToken}`);
  await page.locator('.preview-pane .prose').getByText('probe-60-quote').waitFor({ state: 'attached' });
  await settled(person);
});

const oneLine = 30;

// What is out of sight on such a page is not laid out, so its height is not known before one comes there.
describe('on a page of hundreds of blocks', () => {
  const far = ['probe-30-heading', 'probe-55-row-3', 'probe-8-code-4', 'probe-41-paragraph', 'probe-20-quote'];

  it('the text brings the preview to the same line', async () => {
    for (const probe of far)
      expect(Math.abs((await scrollTo(person, 'field', probe)).preview), probe).toBeLessThanOrEqual(oneLine);
  });

  it('the preview brings the text to the same line', async () => {
    for (const probe of far) {
      const { field, preview } = await lookAt(page, probe);
      expect(Math.abs(preview - field), probe).toBeLessThanOrEqual(oneLine);
    }
  });

  it('blocks put in, taken out and changed anywhere are shown in their order', async () => {
    const parts = text.split(/(?=^## Part )/m);
    const many = Array.from({ length: 150 }, (_, at) => `New paragraph ${at}.\n\n`).join('');
    const texts = [
      parts.toSpliced(31, 0, many).join(''),
      parts.toSpliced(10, 40, '# Between\n\n').join(''),
      parts.toReversed().join(''),
      parts.map((part, at) => (at % 7 === 0 ? `${many.slice(0, 200)}\n\n${part}` : part)).join(''),
    ];
    for (const [round, now] of texts.entries()) {
      const end = `end of round ${round}`;
      await setText(page, `${now}\n\n${end}`);
      await page.locator('.preview-pane .prose').getByText(end).waitFor({ state: 'attached' });
      await settled(person);
      const shown = await words(page);
      expect(shown.boxes).toBeGreaterThan(3);
      expect(shown.largest).toBeLessThanOrEqual(80);
      expect(shown.text).toBe(await wholeOf(`${now}\n\n${end}`));
    }
  });
});

/** Scrolls the preview by hand until the block with the word is in sight; on the way heights become what they are. */
async function lookAt(of: Page, probe: string): Promise<Found> {
  const pane = of.locator('.preview-pane[data-shown="true"]');
  await pane.hover();
  await of.mouse.wheel(0, 1);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await pane
      .getByText(probe)
      .first()
      .evaluate(element => element.scrollIntoView({ block: 'start', behavior: 'instant' }));
    await settled(person);
  }
  return find(person, probe);
}

/** As if it had been typed; typing so much, browsers take minutes. */
function setText(of: Page, markdown: string): Promise<void> {
  return of.locator('#markdown-field').evaluate((field: HTMLTextAreaElement, value) => {
    field.value = value;
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
  }, markdown);
}

interface Shown {
  readonly text: string;
  readonly boxes: number;
  /** Parts in the fullest box. */
  readonly largest: number;
}

function words(of: Page): Promise<Shown> {
  return of.evaluate(() => {
    const boxes = [...document.querySelectorAll('.preview-pane .prose > .chunk')];
    const partsOf = (box: Element): number => [...box.childNodes].filter(node => node instanceof Comment).length;
    const text = document.querySelector('.preview-pane .prose')!.textContent!.replace(/\s+/g, ' ').trim();
    return { text, boxes: boxes.length, largest: Math.max(...boxes.map(partsOf)) };
  });
}

/** The words of a page as its readers get it. */
async function wholeOf(markdown: string): Promise<string> {
  const { slug } = await desk.create({ title: 'Whole', pages: [{ markdown }] });
  const html = await (await fetch(`${desk.service.origin}/n/${slug}`)).text();
  // Without its scripts, which would add buttons, and without laying it out.
  const window = await desk.browser.newPage();
  const text = await window.evaluate(source => {
    const prose = new DOMParser().parseFromString(source, 'text/html').querySelector('.prose')!;
    // The contents below the title are the view's own.
    prose.querySelector('.toc-inside')?.remove();
    return prose.textContent!.replace(/\s+/g, ' ').trim();
  }, html);
  await window.close();
  return text;
}
