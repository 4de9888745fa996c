import { describe, expect, it } from 'vitest';
import { isImage, readImages, wordsOfHtml } from './pasted-images.ts';

const png = new File(['x'], 'image.png', { type: 'image/png' });
const pdf = new File(['x'], 'paper.pdf', { type: 'application/pdf' });

/** The parts of a browser's clipboard that the decision uses. */
function clipboard(files: File[], texts: Record<string, string> = {}): DataTransfer {
  return { files, getData: (type: string) => texts[type] ?? '' } as unknown as DataTransfer;
}

const word =
  '<html xmlns:o="urn:x"><head><meta charset="utf-8"><style>p {margin:0}</style><!--[if mso]>title<![endif]--></head>' +
  '<body><p class=MsoNormal>Some <b>words</b></p><img src="file:///C:/x.png"></body></html>';

describe('an image is meant', () => {
  it.each<[string, DataTransfer]>([
    ['a screenshot', clipboard([png])],
    [
      'a picture copied in Chromium',
      clipboard([png], { 'text/html': '<meta charset="utf-8"><img src="https://x.example/a.png" alt="A">' }),
    ],
    [
      'a picture copied in Firefox',
      clipboard([png], { 'text/html': '<img src="https://x.example/a.png">', 'text/plain': 'https://x.example/a.png' }),
    ],
    [
      'a picture from Word alone',
      clipboard([png], {
        'text/html': '<html><head><style>p{}</style></head><body><p>&nbsp;<img src="file:///x.png"></p></body></html>',
      }),
    ],
    ['a file of a file manager', clipboard([png], { 'text/plain': 'image.png' })],
    ['a file with its path', clipboard([png], { 'text/plain': '/home/me/pictures/image.png' })],
  ])('%s', (_, data) => {
    expect(readImages(data)).toEqual([png]);
  });
});

describe('text is meant, or nothing of ours', () => {
  it.each<[string, DataTransfer | null]>([
    ['words from Word', clipboard([png], { 'text/html': word, 'text/plain': 'Some words' })],
    ['cells of a spreadsheet', clipboard([png], { 'text/html': '<table><tr><td>1</td></tr></table>', 'text/plain': '1' })],
    ['plain words beside a picture', clipboard([png], { 'text/plain': 'note' })],
    ['a file that is no image', clipboard([pdf])],
    ['only text', clipboard([], { 'text/plain': 'words' })],
    ['no clipboard', null],
  ])('%s', (_, data) => {
    expect(readImages(data)).toEqual([]);
  });
});

it('of several files the images are taken, and a PDF among them, to be refused beside them', () => {
  const [unnamed, text] = [new File(['x'], 'Scan.PDF'), new File(['x'], 'a.txt', { type: 'text/plain' })];
  expect(readImages(clipboard([png, pdf, text, unnamed, png]))).toEqual([png, pdf, unnamed, png]);
  expect(readImages(clipboard([pdf, unnamed]))).toEqual([]);
});

it('a file without a type is known by its name', () => {
  expect(isImage({ type: '', name: 'photo.HEIC' })).toBe(true);
  expect(isImage({ type: '', name: 'notes.md' })).toBe(false);
});

it('words of an html, without what nobody sees', () => {
  expect(wordsOfHtml(word)).toBe('Some words');
  expect(wordsOfHtml('<script>let a = "words"</script><!-- words --><title>words</title>')).toBe('');
});
