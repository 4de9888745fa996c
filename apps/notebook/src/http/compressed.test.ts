import { describe, expect, it } from 'vitest';
import { chooseCoding, FinishedPage } from './compressed.ts';

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
  ])('%s: %s', (header, coding) => expect(chooseCoding(header)).toBe(coding));
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
  const kept = FinishedPage.kept({ etag: 'W/"e"', frames: false, br: Buffer.from('a row of a database') });
  forms.push(kept.find('br')!);
  expect(forms.map(form => form.buffer.byteLength)).toEqual(forms.map(form => form.length));
});
