import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { turnsOf } from '../../../test/support/turns.ts';
import { chooseCoding, FinishedPage } from './compressed.ts';

/** For headers that were never sent before. */
let asked = 0;

describe('the coding a client takes', () => {
  it.each([
    [undefined, 'plain'],
    ['', 'plain'],
    ['gzip, deflate, br', 'br'],
    ['br;q=1.0, gzip;q=0.8', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br; q=0.0, gzip;q=0', 'plain'],
    ['br;q=0.5', 'br'],
    ['identity', 'plain'],
    ['brotli', 'plain'],
    ['zbr, xgzip', 'plain'],
    ['br;q=0.001', 'br'],
    ['br;q=0.000, gzip;Q=0.', 'plain'],
    ['br;q=0.10', 'br'],
    ['br;q=0;level=1, GZIP', 'gzip'],
    ['gzip;q= 0 ,br ; level=0', 'br'],
    ['br;q=00', 'br'],
    ['br;level=1;q=0', 'plain'],
    ['br;q', 'br'],
    ['br;q=', 'br'],
    ['br;q=.0', 'br'],
  ])('%s: %s', (header, coding) => {
    expect(chooseCoding(header)).toBe(coding);
    // The choice for a repeated header is cached; this header is new.
    if (header) expect(chooseCoding(`other-${++asked}, ${header}`)).toBe(coding);
  });

  it('is the same for one that asks again, and for a header too long to be remembered', () => {
    for (let different = 0; different < 130; different++) {
      const headers = [`new-${++asked}, gzip`, `new-${++asked}, ${'x'.repeat(300)}, br`];
      for (const header of [...headers, ...headers]) expect(chooseCoding(header)).toBe(header.endsWith('br') ? 'br' : 'gzip');
    }
  });
});

describe('a page', () => {
  const text = 'An ordinary page. '.repeat(2_000);
  const plainOf = { plain: (bytes: Buffer) => bytes, br: brotliDecompressSync, gzip: gunzipSync };

  it('is the same in every coding, and smaller in two of them', async () => {
    for (const body of [text, text.repeat(20)]) {
      const page = FinishedPage.of(body);
      for (const coding of ['plain', 'br', 'gzip'] as const) {
        const bytes = await page.in(coding);
        expect(plainOf[coding](bytes).toString()).toBe(body);
        if (coding !== 'plain') expect(bytes.length).toBeLessThan(body.length / 20);
      }
    }
  });

  it('has the tag of its bytes', () => {
    const { etag } = FinishedPage.of(text);
    expect(etag).toMatch(/^W\/"[\w-]{16}"$/);
    expect(FinishedPage.of(Buffer.from(text)).etag).toBe(etag);
    expect(FinishedPage.of(`${text}.`).etag).not.toBe(etag);
  });

  it('is compressed once, however many ask', async () => {
    const page = FinishedPage.of(text);
    let grown = 0;
    page.onGrow = () => (grown += 1);
    const [one, other] = await Promise.all([page.in('br'), page.in('br')]);
    expect(other).toBe(one);
    expect(await page.in('br')).toBe(one);
    expect(grown).toBe(1);
    await page.in('gzip');
    expect(grown).toBe(2);
  });

  it('lets the bytes as they are go, unless a client asked for them', async () => {
    const page = FinishedPage.of(text);
    await page.in('br');
    expect(page.find('plain')).toBeUndefined();
    expect((await page.in('plain')).toString()).toBe(text);
    await page.in('gzip');
    expect(page.find('plain')?.toString()).toBe(text);
    const asked = FinishedPage.of(text);
    await asked.in('plain');
    await asked.in('br');
    expect(asked.find('plain')?.toString()).toBe(text);
  });

  it('is made from any form that is there', async () => {
    const zipped = FinishedPage.of(text);
    await zipped.in('gzip');
    expect(brotliDecompressSync(await zipped.in('br')).toString()).toBe(text);
    const kept = FinishedPage.fromStored({ etag: 'W/"e"', frames: true, br: brotliCompressSync(text) });
    expect([kept.etag, kept.frames, kept.find('plain')]).toEqual(['W/"e"', true, undefined]);
    expect(gunzipSync(await kept.in('gzip')).toString()).toBe(text);
    expect(kept.find('br')!.buffer.byteLength).toBe(kept.find('br')!.length);
  });

  it('draws no frames unless it is told so, and has no prepared head', () => {
    expect([FinishedPage.of(text).frames, FinishedPage.of(text, true).frames]).toEqual([false, true]);
    expect(FinishedPage.of(text).heads).toEqual({ plain: undefined, br: undefined, gzip: undefined, 304: undefined });
  });

  it('that cannot be compressed does not keep others from it', async () => {
    const broken = FinishedPage.fromStored({ etag: '', frames: false, br: Buffer.from('no brotli') });
    await expect(broken.in('gzip')).rejects.toThrow();
    await expect(broken.in('gzip')).rejects.toThrow();
    expect((await FinishedPage.of(text).in('gzip')).length).toBeGreaterThan(0);
  });
});

it('a long page is written as bytes in turns of the event loop, and is the same', async () => {
  const long = `${'x'.repeat(262_143)}😀${'“long” '.repeat(80_000)}`;
  for (const body of [long, Buffer.from(long)]) {
    const { result, turns } = await turnsOf(() => FinishedPage.inChunks(body, true));
    expect(turns).toBeGreaterThanOrEqual(Math.floor(body.length / 262_144) + 1);
    expect([result.etag, result.frames, (await result.in('plain')).toString() === long]).toEqual([
      ...[FinishedPage.of(long).etag, true, true],
    ]);
  }
  const ordinary = await turnsOf(() => FinishedPage.inChunks('ordinary'));
  expect([ordinary.turns, ordinary.result.etag]).toEqual([0, FinishedPage.of('ordinary').etag]);
});

it('an ordinary page does not wait until the long ones are compressed', async () => {
  const long = Array.from({ length: 12 }, (_, at) => FinishedPage.of(`${at} ${'long '.repeat(200_000)}`));
  let done = 0;
  const all = Promise.all(long.map(page => page.in('br').then(() => (done += 1))));
  await FinishedPage.of('ordinary '.repeat(1_000)).in('br');
  expect(done).toBeLessThan(long.length / 2);
  await all;
});

it('keeps no more memory than its bytes: none shares a block with others', async () => {
  const page = FinishedPage.of('words '.repeat(100));
  const forms = [await page.in('plain'), await page.in('br'), await page.in('gzip')];
  const kept = FinishedPage.fromStored({ etag: 'W/"e"', frames: false, br: Buffer.from('a row of a database') });
  forms.push(kept.find('br')!);
  expect(forms.map(form => form.buffer.byteLength)).toEqual(forms.map(form => form.length));
});
