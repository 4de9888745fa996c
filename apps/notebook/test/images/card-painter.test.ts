import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { CardContent, CardPainter } from '../../src/images/card-painter.ts';
import { createCardPainter, type PainterOptions } from '../../src/images/process-painter.ts';
import { childPids, pidOf } from './child-pids.ts';

const folder = mkdtempSync(join(tmpdir(), 'cards-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Our typefaces and no other: Latin, Greek and Cyrillic letters. */
const ownFonts = join(folder, 'fonts.conf');
writeFileSync(
  ownFonts,
  `<?xml version="1.0"?><fontconfig><dir>${fileURLToPath(new URL('../../dist/fonts', import.meta.url))}</dir></fontconfig>`,
);

/** One for all that may share it: each start reads the typefaces of the system. */
const ours = createCardPainter({ timeMillis: 60_000, fontConfig: ownFonts });
const everything = createCardPainter({ timeMillis: 60_000 });
afterAll(() => Promise.all([ours.close(), everything.close()]));
afterAll(() => drawn.clear());

const face: CardContent = { title: 'Field notes', description: 'A week of walks along the river.', pages: 3, paper: 'plain' };

/** Each card is drawn once: many are compared with the same one. */
const drawn = new Map<CardPainter, Map<string, Promise<Buffer>>>();

function draw(changes: Partial<CardContent> = {}, by = ours): Promise<Buffer> {
  const cards = drawn.get(by) ?? new Map<string, Promise<Buffer>>();
  drawn.set(by, cards);
  const content = JSON.stringify({ ...face, ...changes });
  const card = cards.get(content) ?? drawAnew(changes, by);
  cards.set(content, card);
  return card;
}

async function drawAnew(changes: Partial<CardContent>, by: CardPainter): Promise<Buffer> {
  const png = await by.draw({ ...face, ...changes });
  return sharp(Buffer.from(png!)).removeAlpha().raw().toBuffer();
}

/** The share of pixels that differ by more than the palette, which is of each picture's own colors. */
function differing(one: Buffer, other: Buffer): number {
  let count = 0;
  for (let at = 0; at < one.length; at += 3) if (Math.abs(one[at]! - other[at]!) > 16) count++;
  return count / (one.length / 3);
}

describe('with our typefaces alone', () => {
  it('shows the title, the first words, the number of pages and the paper, each', async () => {
    const drawn = await draw();
    expect(drawn.length).toBe(1200 * 630 * 3);
    for (const change of [
      { title: 'Wood notes' },
      { title: 'Полевые заметки' },
      { title: 'Σημειώσεις' },
      { description: 'A month of it.' },
      { description: '' },
      { pages: 4 },
      { paper: 'lined' },
      { paper: 'grid' },
      { paper: 'dotted' },
      { paper: 'kraft' },
    ] as const)
      expect([change, differing(await draw(change), drawn) > 0]).toEqual([change, true]);
  });

  it.each([
    ['Han', '川沿いを歩いた一週間'],
    ['Arabic', 'ملاحظات ميدانية'],
    ['Thai', 'บันทึก'],
    ['private letters', 'plan \ue000\u{12345}'],
  ])('leaves a title out whose letters are missing, instead of boxes: %s', async (_, title) => {
    expect(differing(await draw({ title, description: title }), await draw({ title: '一', description: '' }))).toBe(0);
    expect(differing(await draw({ title }), await draw({ title: 'A shared notebook' }))).toBe(0);
  });

  it.each([
    ['🗺️ Trip to Kyoto 🇯🇵 👩‍👩‍👧‍👦 ❤️', 'Trip to Kyoto'],
    ['Packing 🎒, trains 🚄', 'Packing, trains'],
  ])('leaves out an emoji that is missing, and keeps the words: %s', async (title, words) => {
    expect(differing(await draw({ title }), await draw({ title: words }))).toBe(0);
  });

  it('cuts a title that is too long for it, and keeps the foot free', async () => {
    const long = await draw({ title: 'W'.repeat(200), description: 'word '.repeat(200) });
    const short = await draw({ title: 'i', description: '' });
    const foot = 1200 * 3 * 545;
    expect(differing(long.subarray(foot), short.subarray(foot))).toBe(0);
  });

  it.each(['<span size="1">&lt;/span>', '&', '\u0000\ud800', ' \n\t', '\u202e\u200d', 'a\u0301'.repeat(60), '|'])(
    'takes any title as words: %j',
    async title => {
      expect((await draw({ title, description: title })).length).toBe(1200 * 630 * 3);
    },
  );
});

const noto = '/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc';
describe.skipIf(existsSync(noto) ? undefined : 'Debian’s Noto typefaces are not installed')(
  'with the typefaces of Debian',
  () => {
    it.each(['川沿いを歩いた一週間の記録', 'ملاحظات ميدانية', 'Trip to Kyoto 🗺️'])('draws %s', async title => {
      const drawn = await draw({ title }, everything);
      expect(differing(drawn, await draw({ title }))).toBeGreaterThan(0);
      expect(differing(drawn, await draw({ title: 'A shared notebook' }, everything))).toBeGreaterThan(0);
    });

    it('begins right-to-left titles at the right', async () => {
      const lastInk = async (title: string) => {
        const drawn = await draw({ title, description: '' }, everything);
        const isDark = (x: number) => Array.from({ length: 450 }, (_, y) => drawn[(y * 1200 + x) * 3]!).some(value => value < 90);
        return Array.from({ length: 1200 }, (_, x) => x).findLast(isDark);
      };
      const [arabicEnd, latinEnd] = [await lastInk('ملاحظات'), await lastInk('Notes')];
      expect(arabicEnd).toBeGreaterThan(1050);
      expect(latinEnd).toBeLessThan(600);
    });
  },
);

describe.skipIf(process.platform === 'linux' ? undefined : 'only Linux tells the processes of a process')('the process', () => {
  let painter: CardPainter;
  afterEach(() => painter.close());
  const start = (options: PainterOptions = {}) => {
    painter = createCardPainter({ timeMillis: 60_000, fontConfig: ownFonts, ...options });
  };

  it('is ended with a card that takes too long, and another one draws the next', async () => {
    start({ timeMillis: 1 });
    const pid = await pidOf(async () => expect(await painter.draw({ ...face, title: 'a\u0301'.repeat(100) })).toBeUndefined());
    await expect.poll(() => childPids().includes(pid), { timeout: 10_000 }).toBe(false);
    await painter.close();
    start();
    expect((await draw({}, painter)).length).toBe(1200 * 630 * 3);
  });

  it('ends when it is idle, also after a picture that failed', async () => {
    start({ idleMillis: 50 });
    const failing = { ...face, title: undefined } as unknown as CardContent;
    const pid = await pidOf(() => expect(painter.draw(failing)).rejects.toThrow('card-process failed'));
    await expect.poll(() => childPids().includes(pid), { timeout: 10_000 }).toBe(false);
  });

  it('sends away what is too much, of the client that asks for most', async () => {
    start({ waitingCards: 2 });
    const many = Array.from({ length: 4 }, () => painter.draw(face, 'hostile'));
    expect(await painter.draw(face, 'other')).toBeDefined();
    expect((await Promise.all(many)).filter(drawn => drawn === undefined).length).toBe(2);
  });
});
