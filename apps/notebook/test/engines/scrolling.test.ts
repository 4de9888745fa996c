import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { browserEngines, type StartedBrowser } from '../support/browser-window.ts';
import { type Database, sqlite } from '../support/engines.ts';
import { eventually, Person } from '../support/person.ts';
import { createThrough, type Made, type ServiceProcess, startService } from '../support/service-process.ts';
import { bring, find, moveBy, panes, probes, scrollPage, scrollTo, settled, takeLead } from './scroll-page.ts';

vi.setConfig({ testTimeout: 90_000 });

let database: Database;
let service: ServiceProcess;
let made: Made;
beforeAll(async () => {
  database = await sqlite.createDatabase();
  service = await startService({ DATABASE_URL: database.url });
  made = await createThrough(service.origin, { title: 'Scroll', pages: [{ markdown: scrollPage }, { markdown: '# Two' }] });
});
afterAll(async () => {
  await service?.kill();
  database?.remove();
});

/** A line of the preview; the field's are a little lower. */
const oneLine = 30;

// Spec 1 §1.5: scrolling one pane scrolls the other.
describe.each(browserEngines)('scrolling in $name', ({ name, missing, start }) => {
  // Without a graphics card.
  const isDrawnSlowly = name === 'WebKit';
  const places = probes.filter((_, at) => name === 'Chromium' || at % 3 === 0);
  let browser: StartedBrowser;
  let person: Person;
  beforeAll(async () => {
    if (missing) return;
    browser = await start();
    person = new Person(browser.window, service.origin);
    if (isDrawnSlowly) await person.window.resize(1100, 700);
    else await person.window.resize(1440, 900);
  });
  afterAll(() => browser?.close());
  // All look at one editor, each with its panes side by side and as wide.
  beforeEach(async () => {
    if (missing) return;
    if (!(await person.isSeen('#markdown-field, .preview-pane').catch(() => false))) await open();
    await person.window.run(() => {
      for (const image of document.querySelectorAll<HTMLElement>('.preview-pane img')) image.style.height = '';
    }, undefined);
    if (!(await person.isSeen('[role="separator"]'))) await person.window.press('Control+Shift+Digit2');
    await person.sees('[role="separator"]');
    if ((await share())[0] !== 50) {
      await person.focus('[role="separator"]');
      await person.window.press('Home');
      await eventually(async () => (await share())[0]).toBe(50);
    }
  });

  async function open(): Promise<void> {
    await person.openEditor(made);
    await person.sees('.preview-pane[data-shown="true"] blockquote');
    await eventually(() => person.texts('.preview-pane[data-shown="true"] blockquote')).toHaveLength(9);
    await settled(person);
  }

  /** The field's share of the panes' width: as the divider says it, and as it is drawn. */
  const share = () =>
    person.window.run(() => {
      const width = (css: string) => document.querySelector(css)!.getBoundingClientRect().width;
      return [
        Number(document.querySelector('[role="separator"]')!.ariaValueNow),
        width('.writing') / width('.editor-panes'),
      ] as const;
    }, undefined);

  it.skipIf(missing)('the text brings the preview to the same line', async () => {
    await takeLead(person, 'field');
    for (const probe of places) {
      const { field, preview } = await bring(person, 'field', probe);
      expect(Math.abs(field), probe).toBeLessThan(2);
      expect(Math.abs(preview), probe).toBeLessThanOrEqual(oneLine);
    }
  });

  it.skipIf(missing)('the preview brings the text to the same line', async () => {
    await takeLead(person, 'preview');
    for (const probe of places) {
      const { field, preview } = await bring(person, 'preview', probe);
      expect(Math.abs(preview), probe).toBeLessThan(2);
      expect(Math.abs(field), probe).toBeLessThanOrEqual(oneLine);
    }
  });

  it.skipIf(missing)('by wheel: the other pane follows, and does not push the one that leads', async () => {
    for (const side of ['field', 'preview'] as const) {
      await scrollTo(person, side, probes[3]!);
      const before = await settled(person, 1);
      const at = await person.placeOf(panes[side]);
      for (let turn = 0; turn < 4; turn += 1) await person.window.wheel(at, 120);
      const [field, preview] = await settled(person);
      expect(field).toBeGreaterThan(before[0]! + 50);
      expect(preview).toBeGreaterThan(before[1]! + 50);
      // A loop of the two would go on by itself.
      expect(await settled(person, 20)).toEqual([field, preview]);
    }
  });

  it.skipIf(missing)('an image that comes late, or grows, moves nothing away from its line', async () => {
    const probe = 'probe-6-heading';
    await scrollTo(person, 'field', probe);
    await person.window.run(() => {
      for (const image of document.querySelectorAll<HTMLElement>('.preview-pane img')) image.style.height = '500px';
    }, undefined);
    await settled(person);
    await expect.poll(async () => Math.abs((await find(person, probe)).preview)).toBeLessThanOrEqual(oneLine);
  });

  it.skipIf(missing)('the divider moves by keyboard and pointer, keeps its place, and the panes keep their line', async () => {
    const probe = 'probe-5-heading';
    await scrollTo(person, 'field', probe);
    await person.focus('[role="separator"]');
    await person.window.press('Shift+ArrowRight');
    await settled(person);
    const { field, preview } = await find(person, probe);
    expect(Math.abs(preview - field)).toBeLessThanOrEqual(oneLine);
    const [value, shown] = await share();
    expect(value).toBe(60);
    expect(shown).toBeCloseTo(0.6, 1);
    const from = await person.placeOf('[role="separator"]');
    await person.drag(from, { x: from.x - 300, y: from.y + 20 });
    await eventually(async () => (await share())[0]).toBeLessThan(50);
    await settled(person);
    const [dragged, shownThen] = await share();
    expect(shownThen).toBeCloseTo(dragged / 100, 1);
    const after = await find(person, probe);
    expect(Math.abs(after.field)).toBeLessThanOrEqual(oneLine);
    expect(Math.abs(after.preview)).toBeLessThanOrEqual(oneLine);
    await open();
    await eventually(async () => (await share())[0]).toBe(dragged);
    await person.focus('[role="separator"]');
    await person.window.press('Home');
    await eventually(async () => (await share())[0]).toBe(50);
  });

  it.skipIf(missing)('writing, both and reading, by key and by button, each at the place of the one before', async () => {
    const probe = 'probe-6-heading';
    const seen = async () => [await person.isSeen(panes.field), await person.isSeen(panes.preview)];
    await scrollTo(person, 'field', probe);
    await person.window.press('Control+Shift+Digit3');
    await eventually(seen).toEqual([false, true]);
    await settled(person);
    await expect.poll(async () => Math.abs((await find(person, probe)).preview)).toBeLessThanOrEqual(oneLine);
    const next = 'probe-8-heading';
    await person.window.wheel(await person.placeOf(panes.preview), 20);
    await moveBy(person, 'preview', (await find(person, next)).preview);
    await person.click('Split');
    await eventually(seen).toEqual([true, true]);
    await settled(person);
    await expect.poll(async () => Math.abs((await find(person, next)).field)).toBeLessThanOrEqual(oneLine);
    await person.window.press('Control+Shift+Digit1');
    await eventually(seen).toEqual([true, false]);
    await person.click('Read');
    await eventually(seen).toEqual([false, true]);
    await person.window.press('Control+Shift+Digit2');
    await eventually(seen).toEqual([true, true]);
  });
});
