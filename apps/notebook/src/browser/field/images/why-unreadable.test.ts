import { expect, it } from 'vitest';
import { whyUnreadable } from './why-unreadable.ts';

it.each([
  ['no bytes', '', 'It is empty.'],
  ['a PDF', '%PDF-1.7', 'It is a PDF. Save its pages as PNG or JPEG first.'],
  ['a photo of a phone', '\0\0\0\x18ftypheic', 'It is a HEIC photo, which this browser cannot read. Save it as JPEG first.'],
  [
    'several photos of a phone',
    '\0\0\0\x18ftypmsf1',
    'It is a HEIC photo, which this browser cannot read. Save it as JPEG first.',
  ],
  ['a drawing', '\n<svg xmlns="http://www.w3.org/2000/svg"/>', 'It is an SVG drawing. Save it as PNG first.'],
  ['a drawing with a byte order mark', '\u{feff}<?xml version="1.0"?><svg/>', 'It is an SVG drawing. Save it as PNG first.'],
  ['an error of a store', '<?xml version="1.0"?><Error/>', 'This browser cannot read it as an image.'],
  ['a damaged AVIF', '\0\0\0\x18ftypavif', 'This browser cannot read it as an image.'],
  ['text', 'hello', 'This browser cannot read it as an image.'],
])('of %s', async (_what, content, reason) => expect(await whyUnreadable(new Blob([content]))).toBe(reason));

it('of a file that is gone', async () => {
  const gone = Object.assign(new Blob(['x']), { slice: () => ({ arrayBuffer: () => Promise.reject(new Error('gone')) }) });
  expect(await whyUnreadable(gone)).toBe('This browser cannot read it as an image.');
});
