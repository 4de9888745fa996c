import { expect, it } from 'vitest';
import type { EditorPage } from '../session/editor-page.ts';
import { listNames, markdownWordsOf, readWords, sizeInWords } from './page-images.ts';

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

const url = 'https://i.example/a.webp';
const pageOf = (text: string) => ({ saver: { text } }) as unknown as EditorPage;

it.each([
  ['![A hill](https://i.example/a.webp)', 'A hill', 'A hill'],
  ['![b](https://i.example/b.webp) ![A \\*hill\\*|300](https://i.example/a.webp "Caption")', 'A \\*hill\\*|300', 'A *hill*'],
  ['![](https://i.example/a.webp)', '', ''],
  ['![|300](https://i.example/a.webp)', '|300', ''],
  ['[A hill](https://i.example/a.webp)', '', ''],
  ['![b](https://i.example/b.webp)\n[A hill](https://i.example/a.webp)', '', ''],
  ['![b](https://i.example/b.webp) [A hill](https://i.example/a.webp)', '', ''],
  ['![A [high] hill](https://i.example/a.webp)', 'A [high] hill', 'A [high] hill'],
  ['<img src="https://i.example/a.webp" alt="A hill">', 'A hill', 'A hill'],
  [
    "<p>x</p>\n<IMG width=300\n alt='A *high*\n &quot;hill&quot; [1]|300' src='https://i.example/a.webp'>",
    'A \\*high\\* "hill" \\[1\\]\\|300',
    'A *high* "hill" [1]|300',
  ],
  ['<img alt="1 > 0, it\'s so" src="https://i.example/a.webp">', "1 > 0, it's so", "1 > 0, it's so"],
  ['<img title="no alt=\'x\' here" src="https://i.example/a.webp" alt=Hill>', 'Hill', 'Hill'],
  ['<img alt="b" src="b.webp" title=">"> and "https://i.example/a.webp">', '', ''],
  ['<img src="https://i.example/a.webp"> <img src="https://i.example/b.webp" alt="b">', '', ''],
  ['<img src="https://i.example/b.webp" alt="b"> https://i.example/a.webp', '', ''],
  [`![${'x'.repeat(600)}](https://i.example/a.webp)`, '', ''],
])('the description of an image in %j', (text, markdown, read) => {
  const words = markdownWordsOf({ url }, [pageOf('none'), pageOf(text)]);
  expect([words, readWords(words)]).toEqual([markdown, read]);
});

it('the description of an image is that of the first page that has one', () => {
  expect(markdownWordsOf({ url }, [pageOf(`![](${url})`), pageOf(`![A hill](${url})`), pageOf(`![B](${url})`)])).toBe('A hill');
});
