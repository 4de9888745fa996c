import { writeFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { browserEngines, type StartedBrowser } from '../support/browser-window.ts';
import { OwnService } from '../support/own-service.ts';
import { eventually, Person } from '../support/person.ts';
import { frames } from './scroll-page.ts';

vi.setConfig({ testTimeout: 90_000 });

let octavo: OwnService;
beforeAll(async () => {
  octavo = await OwnService.start();
});
afterAll(() => octavo?.close());

/** What engines wrap and shape in ways of their own, twice: a page that scrolls. */
const part = [
  '# A heading that is so long that it does not fit into a single row of the column and goes on in the next one below it',
  '',
  'Plain *emphasis*, **strong words**, `code` and ~~struck~~ ==marked== words with a [link](https://example.org/a/b?c=d) in between.',
  '',
  '\tA tab,\tand\tmore  tabs, and trailing spaces that hang behind the column          \t      ',
  `An address without a space: https://example.org/${'path/'.repeat(40)}`,
  '- [x] 完了した項目と、とても長いので折り返さなければならない日本語の文章です。**強調**と`コード`もあります。句読点も、折り返しの位置を変えます。',
  '- 👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇪 ❤️ 👍🏽 emoji in **bold 🎉** and `code 🚀` :rocket:',
  '> [!NOTE]',
  '> العربية: **هذا نص غامق** و`كود` ثم كلمات أخرى حتى ينكسر السطر إلى سطر ثانٍ لأن العمود ليس عريضًا بما يكفي لها كلها.',
  'हिन्दी में **मोटा** और क्षत्रिय, ภาษาไทยไม่มีช่องว่างระหว่างคำ, tiếng Việt, a\u0301e\u0308, ﬁ ffi -> => != ===',
  '',
  '| a | b |',
  '| --- | :-: |',
  '| 1 | $x^2$ |',
  '```ts',
  "const words = ['a', `b`]; // *not* emphasis",
  '```',
  '<details><summary>Tag &amp; entity</summary></details> 1. no list',
];
const text = [...part, '', ...part, ''].join('\n');

/** What a person sees of the field, as a PNG. */
async function pictureOf({ window }: Person): Promise<Buffer> {
  // Without the place of a scroll bar that comes and goes.
  const box = await window.run(() => {
    const field = document.querySelector<HTMLTextAreaElement>('#markdown-field')!;
    const { left, top } = field.getBoundingClientRect();
    return { left: Math.ceil(left), top: Math.ceil(top), width: field.clientWidth - 16, height: field.clientHeight - 1 };
  }, undefined);
  return window.screenshot(box);
}

/**
 * Everything anew: WebKit repaints no more than the box of a text whose color changed, and a letter that begins a row may reach out of it.
 */
async function repaint(person: Person): Promise<void> {
  for (const visibility of ['hidden', '']) {
    await person.window.run(value => document.body.style.setProperty('visibility', value), visibility);
    await frames(person, 3);
  }
}

/** Once two pictures in a row are the same: a busy machine paints a change of size or color in several frames. */
async function settledPictureOf(person: Person): Promise<Buffer> {
  let before: Buffer | undefined;
  await eventually(async () => {
    await frames(person, 3);
    const now = await pictureOf(person);
    const isSame = before?.equals(now) ?? false;
    before = now;
    return isSame;
  }).toBe(true);
  return before!;
}

const shadesOf = (picture: Buffer): Promise<Buffer> => sharp(picture).greyscale().raw().toBuffer();

/** How many pixels differ by more than a shade of smoothing. */
function differing(one: Buffer, other: Buffer): number {
  let found = 0;
  for (let at = 0; at < one.length; at += 1) if (Math.abs(one[at]! - other[at]!) > 24) found += 1;
  return found;
}

function dark(one: Buffer): number {
  let found = 0;
  for (const shade of one) if (shade < 128) found += 1;
  return found;
}

// Colors of the source without giving up the browser's own field. The copy behind it must stand where its letters would.
describe.each(browserEngines)('the colored copy in $name', ({ name, missing, start }) => {
  let browser: StartedBrowser;
  let person: Person;
  beforeAll(async () => {
    if (missing) return;
    browser = await start();
    person = new Person(browser.window, octavo.origin);
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    if (missing) return;
    if (!(await person.hasEditor()))
      await person.openEditor(await octavo.create({ title: 'Colors', pages: [{ markdown: text }] }));
    await setWidth(1440);
    await person.sees('.markdown-field[data-colored]');
  });

  async function setWidth(width: number): Promise<void> {
    await person.window.resize(width, 900);
    await eventually(() => person.window.run(() => innerWidth, undefined)).toBe(width);
  }

  it.skipIf(missing)('has each letter where the field has it: wraps, tabs, scripts, emoji, while scrolled', async () => {
    // Letters alone: with their colors they would differ.
    await person.window.run(() => {
      HighlightRegistry.prototype.set = function () {
        return this;
      };
      CSS.highlights.clear();
    }, undefined);
    for (const width of [1440, 700]) {
      await setWidth(width);
      // Two screens, one below the other, of a text that is there twice.
      for (const scrolled of [0, 900]) {
        await person.window.run(top => {
          const field = document.querySelector<HTMLTextAreaElement>('#markdown-field')!;
          field.blur();
          field.scrollTop = top;
        }, scrolled);
        if (name === 'WebKit') await repaint(person);
        const copy = await settledPictureOf(person);
        await person.window.run(() => document.querySelector('#markdown-field')!.removeAttribute('data-colored'), undefined);
        if (name === 'WebKit') await repaint(person);
        const own = await settledPictureOf(person);
        await person.window.run(() => document.querySelector('#markdown-field')!.setAttribute('data-colored', ''), undefined);
        if (process.env.KEEP) {
          for (const [kind, picture] of Object.entries({ copy, own }))
            await writeFile(`${process.env.KEEP}/${name}-${width}-${scrolled}-${kind}.png`, picture);
        }
        const [shadesOfCopy, shadesOfOwn] = [await shadesOf(copy), await shadesOf(own)];
        expect(dark(shadesOfOwn), 'letters are seen').toBeGreaterThan(2_000);
        expect(differing(shadesOfCopy, shadesOfOwn), `${width} px, at ${scrolled}`).toBe(0);
      }
    }
  });

  it.skipIf(missing)('stays when the field is scrolled and gets another width before the same frame', async () => {
    const isColored = () =>
      person.window.run(() => document.querySelector('#markdown-field')!.hasAttribute('data-colored'), undefined);
    for (const width of ['20rem', '']) {
      const before = await person.window.run(() => document.querySelector('#markdown-field')!.clientWidth, undefined);
      const after = await person.window.run(width => {
        const field = document.querySelector<HTMLTextAreaElement>('#markdown-field')!;
        field.parentElement!.style.maxWidth = width;
        field.scrollTop += 50;
        return field.clientWidth;
      }, width);
      expect(after).not.toBe(before);
      await frames(person, 3);
      expect(await isColored(), `width ${width || 'of the window'}`).toBe(true);
    }
  });
});
