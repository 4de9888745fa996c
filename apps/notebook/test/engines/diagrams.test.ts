import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { browserEngines, type StartedBrowser } from '../support/browser-window.ts';
import { OwnService } from '../support/own-service.ts';
import { eventually, Person } from '../support/person.ts';
import { applyPrintStyles, type Ink, paperMissing, pictureOf, sheetsOf } from './paper.ts';

vi.setConfig({ testTimeout: 90_000 });

const fence = (source: string) => `\`\`\`mermaid\n${source}\n\`\`\`\n`;
const flow = 'flowchart LR\n  accTitle: From paper to shelf\n  A[Paper] --> B[Shelf]';
const hostile = [
  'flowchart LR\n  A["<img src=x onerror=parent.pwned=1>"] --> B["<script>parent.pwned=1</script>"]',
  'flowchart LR\n  A --> B\n  click A "javascript:parent.pwned=1"',
  '%%{init: {"securityLevel": "loose", "htmlLabels": true}}%%\nflowchart LR\n  A["<img src=x onerror=parent.pwned=1>"] --> B',
];
/** The fill of a box, as the frame was told. */
const lightBox: Ink = [0xe3, 0xee, 0xf4];
const darkBox: Ink = [0x1d, 0x2f, 0x39];

let octavo: OwnService;
beforeAll(async () => {
  octavo = await OwnService.start();
});
afterAll(() => octavo?.close());
const make = (markdown: string) => octavo.create({ title: 'Drawn', pages: [{ markdown }] });

describe.each(browserEngines)('diagrams in $name', ({ missing, start }) => {
  let browser: StartedBrowser;
  let person: Person;
  beforeAll(async () => {
    if (missing) return;
    browser = await start();
    person = new Person(browser.window, octavo.origin);
  });
  afterAll(() => browser?.close());

  const drawn = () => person.sees('html[data-diagrams="drawn"]');
  const shown = () =>
    person.window.run(
      () =>
        [...document.querySelectorAll<HTMLImageElement>('.diagram img')]
          .filter(image => image.getClientRects().length > 0 && image.naturalWidth > 0)
          .map(({ alt, className }) => `${className}: ${alt}`),
      undefined,
    );

  it.skipIf(missing)('are drawn on the page in its colors, named, their source at hand, light on paper', async () => {
    const { slug } = await make(`# a\n\n${fence(flow)}`);
    await person.open(`/n/${slug}`);
    await drawn();
    await eventually(shown).toEqual(['diagram-light: Diagram: From paper to shelf']);
    await eventually(async () => (await pictureOf(person, '.diagram-light')).count(lightBox)).toBeGreaterThan(1_000);
    await expect.poll(() => person.texts('.prose > pre, .copy-code')).toEqual([]);
    await person.click('Source of the diagram');
    await person.sees('.diagram pre');
    await expect.poll(() => person.texts('.diagram pre')).toEqual([flow]);
    await person.click('Dark mode');
    await eventually(shown).toEqual(['diagram-dark: Diagram: From paper to shelf']);
    await eventually(async () => (await pictureOf(person, '.diagram-dark')).count(darkBox)).toBeGreaterThan(1_000);
    await applyPrintStyles(person);
    await eventually(shown).toEqual(['diagram-light: Diagram: From paper to shelf']);
    await person.window.run(() => localStorage.removeItem('octavo.theme'), undefined);
  });

  it.skipIf(missing)('are drawn in the print view before anybody prints, light in the dark theme', async () => {
    const { slug } = await make(`${fence(flow)}\n\n${fence('pie\n "a" : 1\n "b" : 2')}`);
    // A page of the same origin, without diagrams.
    await person.open('/search');
    await person.window.run(() => localStorage.setItem('octavo.theme', 'dark'), undefined);
    await person.open(`/n/${slug}/print`);
    await drawn();
    await expect.poll(async () => (await shown()).map(words => words.split(':')[0])).toEqual(['diagram-light', 'diagram-light']);
    await person.window.run(() => localStorage.removeItem('octavo.theme'), undefined);
    if (paperMissing || !person.window.print) return;
    const sheets = await sheetsOf(await person.window.print());
    expect(sheets.some(sheet => sheet.count(lightBox) > 500)).toBe(true);
    expect(sheets.every(sheet => sheet.count([0x1b, 0x1c, 0x1e]) < 5_000)).toBe(true);
  });

  it.skipIf(missing)('stay source where they cannot be drawn; hostile ones run nothing, and the others go on', async () => {
    const { slug } = await make([...hostile, 'flowchart LR\n  A -->', flow].map(fence).join('\n'));
    await person.open(`/n/${slug}`);
    await drawn();
    await person.reads('This diagram cannot be drawn');
    await expect.poll(() => person.texts('.prose pre:not(.diagram pre)')).toEqual(['flowchart LR\n  A -->']);
    await eventually(shown).toContain('diagram-light: Diagram: From paper to shelf');
    expect(await person.window.run(() => 'pwned' in window, undefined)).toBe(false);
    await expect
      .poll(() => person.window.run(() => [...document.querySelectorAll('iframe')].map(frame => frame.sandbox.value), undefined))
      .toEqual(['allow-scripts']);
  });

  it.skipIf(missing)('are drawn in the preview, and a key elsewhere leaves them standing', async () => {
    await person.openEditor(await make(`# a\n\n${fence(flow)}\n\nend`));
    await person.sees('.preview-pane .diagram img');
    await person.window.run(() => {
      Object.assign(window, { first: document.querySelector('.preview-pane .diagram img') });
    }, undefined);
    await person.typeAfter('end', ' of the page');
    await eventually(() => person.texts('.preview-pane p')).toContain('end of the page');
    await expect
      .poll(() => person.window.run(() => (window as unknown as { first: Element }).first.isConnected, undefined))
      .toBe(true);
    await expect.poll(() => person.texts('.preview-pane .diagram summary')).toHaveLength(1);
  });
});
