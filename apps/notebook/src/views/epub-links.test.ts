import { expect, it } from 'vitest';
import { imagesOf, resolveBookLinks } from './epub-links.ts';

const addresses = { base: 'https://notes.invalid/n/one', findPage: () => undefined, findImage: () => undefined };
const image = (src: string) => `<img src="${src}" alt="Hill" class="image" loading="lazy"/>`;

it('an address of more than 8,192 characters leads nowhere in a book, and is not looked at', () => {
  const [short, long] = ['https://a.invalid/?b&amp;c', 'https://a.invalid/?'.padEnd(8_193, 'b')];
  expect(resolveBookLinks(`<a href="${short}">x</a>`, addresses)).toBe(`<a href="${short}">x</a>`);
  expect(resolveBookLinks(`<a href="${long.slice(0, 8_192)}">x</a>`, addresses)).toContain('href="https://a.invalid/?bbb');
  expect(resolveBookLinks(`<a class="a" href="${long}">x</a>`, addresses)).toBe('<a class="a">x</a>');
  expect(resolveBookLinks(image(short), addresses)).toBe(`<a href="${short}">Image: Hill</a>`);
  expect(resolveBookLinks(image(long), addresses)).toBe('<span class="image">[Image: Hill]</span>');
  expect([imagesOf(image(short)), imagesOf(image(long))]).toEqual([['https://a.invalid/?b&c'], []]);
});
