import { expect, it } from 'vitest';
import { listNames, sizeInWords } from './page-images.ts';

it('names as a sentence has them', () => {
  expect(['', 'One', 'One and Two', 'One, Two and Three']).toEqual([
    listNames([]),
    listNames(['One']),
    listNames(['One', 'Two']),
    listNames(['One', 'Two', 'Three']),
  ]);
});

it('sizes as people say them', () => {
  expect([900, 2048, 5_242_880].map(sizeInWords)).toEqual(['900 B', '2 kB', '5.0 MB']);
});
