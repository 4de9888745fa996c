import { gzipSync } from 'node:zlib';
import {
  box,
  findBox,
  findMarker,
  gifEnd,
  gifFrame,
  gifHeader,
  half,
  jpegEnd,
  jpegSegment,
  jpegStart,
  patched,
  png,
  pngChunk,
  pngHeader,
  pngPixels,
  pngSignature,
  riffChunk,
  u32,
  webp,
  webpFrame,
  webpHeader,
  without,
} from './file-parts.ts';
import { aPicture, type ImageFormat, imageFormats } from './pictures.ts';

/** Name: what is wrong with it; then the reason that the refusal must give, and the file. */
export type HostileFile = readonly [name: string, detail: string, file: Buffer];

const html = Buffer.from('<!doctype html><script>alert(1)</script>');
const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
const zip = Buffer.from('PK\x03\x04\x14\0\0\0\0\0evil.jar', 'latin1');

const unknown = 'The file is not PNG, JPEG, GIF, WebP or AVIF.';
const cutOff = 'The file is cut off.';
const goesOn = 'The file goes on after its end.';
const noPixels = 'The file has no pixels.';
const damagedPixels = 'The file has damaged pixels.';
const longEdge = 'The file has too long an edge.';
const manyPixels = 'The file has too many pixels.';
const disorder = 'The file has its parts in disorder.';
const damagedPart = 'The file has a part that is damaged.';
const twoSizes = 'The file has two different sizes.';
const noFit = 'The file has a frame that does not fit.';
const unshown = 'The file is packed in a way that browsers do not show.';

export async function hostileFiles(): Promise<HostileFile[]> {
  const pictures = await Promise.all(imageFormats.map(async format => [format, await aPicture(format)] as const));
  const good = Object.fromEntries(pictures) as Record<ImageFormat, Buffer>;
  return [...others(), ...pngs(good.png), ...jpegs(good.jpeg), ...gifs(good.gif), ...webps(good.webp), ...avifs(good.avif)];
}

function others(): HostileFile[] {
  return [
    ['zero bytes', 'The file is empty.', Buffer.alloc(0)],
    ['one byte', unknown, Buffer.from([0x89])],
    ['SVG', unknown, svg],
    ['SVG behind an XML declaration', unknown, Buffer.concat([Buffer.from('<?xml version="1.0"?>\n'), svg])],
    ['SVG, compressed', unknown, gzipSync(svg)],
    ['HTML', unknown, html],
    ['HTML behind white space', unknown, Buffer.concat([Buffer.from('\ufeff \n'), html])],
    ['JavaScript', unknown, Buffer.from('alert(1)')],
    ['PDF', unknown, Buffer.from('%PDF-1.7\n')],
    ['ZIP', unknown, zip],
    ['BMP', unknown, Buffer.from('BM\x46\0\0\0\0\0\0\0', 'latin1')],
    ['TIFF', unknown, Buffer.from('II*\0\x08\0\0\0', 'latin1')],
    ['ICO', unknown, Buffer.from([0, 0, 1, 0, 1, 0])],
    ['Photoshop', unknown, Buffer.from('8BPS\0\x01', 'latin1')],
    ['JPEG XL', unknown, Buffer.from([0xff, 0x0a, 0, 0])],
    ['HEIC', unknown, box('ftyp', Buffer.from('heic\0\0\0\0mif1heic', 'latin1'))],
    ['MP4', unknown, box('ftyp', Buffer.from('isom\0\0\0\0isommp41', 'latin1'))],
    ['a sound in a RIFF', unknown, riffChunk('RIFF', Buffer.from('WAVEfmt '))],
    ['a picture behind a line of text', unknown, Buffer.concat([Buffer.from('#\n'), pngSignature])],
    ['no program’s bytes', unknown, Buffer.alloc(4_096, 0xa5)],
  ];
}

function pngs(good: Buffer): HostileFile[] {
  const [header, pixels, end] = [pngHeader(8, 8), pngPixels(8, 8), pngChunk('IEND')];
  const idat = good.indexOf('IDAT') - 4;
  const animation = (frames: number, ...chunks: Buffer[]) =>
    png(header, pngChunk('acTL', u32(frames, 0)), ...chunks, pixels, end);
  const frame = (sequence: number, width: number, left = 0) =>
    pngChunk('fcTL', Buffer.concat([u32(sequence, width, 8, left, 0), Buffer.alloc(6)]));
  return [
    ['PNG: its signature alone', cutOff, pngSignature],
    ['PNG: cut off in its header', cutOff, good.subarray(0, 20)],
    ['PNG: cut off in its pixels', cutOff, half(good)],
    ['PNG: its last byte missing', cutOff, good.subarray(0, -1)],
    ['PNG: without its end', cutOff, png(header, pixels)],
    ['PNG: without pixels', noPixels, png(header, end)],
    ['PNG: a checksum that is wrong', damagedPart, patched(good, idat + 12, [good[idat + 12]! ^ 1])],
    ['PNG: HTML behind its end', goesOn, Buffer.concat([good, html])],
    ['PNG: ZIP behind its end', goesOn, Buffer.concat([good, zip])],
    ['PNG: SVG behind its signature', cutOff, Buffer.concat([pngSignature, svg])],
    ['PNG: 60,000 pixels square, of a few bytes', longEdge, png(pngHeader(60_000, 60_000), pixels, end)],
    ['PNG: 16,000 pixels square, of a few bytes', manyPixels, png(pngHeader(16_000, 16_000), pixels, end)],
    ['PNG: the largest size there is', longEdge, png(pngHeader(0xffff_ffff, 0xffff_ffff), pixels, end)],
    ['PNG: no width', noPixels, png(pngHeader(0, 8), pixels, end)],
    ['PNG: colors of 3 bits', 'The file has impossible colors.', png(pngHeader(8, 8, 3), pixels, end)],
    ['PNG: a needed part that nobody knows', 'The file needs what nobody knows.', png(header, pngChunk('EVIL'), pixels, end)],
    ['PNG: a part without a name', 'The file has a part without a name.', png(header, pngChunk('a\0b1'), pixels, end)],
    ['PNG: a part of four gigabytes', cutOff, png(header, u32(0xffff_fff0), Buffer.from('IDAT'))],
    ['PNG: two headers', 'The file has a second header.', png(header, header, pixels, end)],
    ['PNG: pixels first', 'The file does not begin with its header.', png(pixels, header, end)],
    ['PNG: text between its pixels', disorder, png(header, pixels, pngChunk('tEXt'), pixels, end)],
    ['PNG: colors by number, without a palette', 'The file has no palette.', png(pngHeader(8, 8, 8, 3), pixels, end)],
    ['PNG: fewer pixels than it says', damagedPixels, png(pngHeader(64, 64), pixels, end)],
    ['PNG: pixels that are not packed', damagedPixels, png(header, pngChunk('IDAT', html), end)],
    ['APNG: a million frames', 'The file has too many frames.', animation(1_000_000, frame(0, 8))],
    ['APNG: a frame larger than the picture', noFit, animation(1, frame(0, 9))],
    ['APNG: a frame beside the picture', noFit, animation(1, frame(0, 4, 5))],
    ['APNG: fewer frames than it says', 'The file has not the frames that it promises.', animation(2, frame(0, 8))],
    ['APNG: frames in disorder', 'The file has its frames in disorder.', animation(1, frame(7, 8))],
  ];
}

function jpegs(good: Buffer): HostileFile[] {
  const sof = findMarker(good, 0xc0);
  const sos = findMarker(good, 0xda);
  const dqt = findMarker(good, 0xdb);
  const size = (height: number, width: number) => patched(good, sof + 5, [height >> 8, height & 255, width >> 8, width & 255]);
  const frame = good.subarray(sof, sof + 2 + good.readUInt16BE(sof + 2));
  const scan = good.subarray(sos, -2);
  return [
    ['JPEG: its first bytes alone', cutOff, Buffer.from([0xff, 0xd8, 0xff])],
    ['JPEG: cut off', cutOff, half(good)],
    ['JPEG: its end missing', cutOff, good.subarray(0, -2)],
    ['JPEG: cut off, with an end', damagedPixels, Buffer.concat([good.subarray(0, sos + 100), jpegEnd])],
    ['JPEG: HTML behind its end', goesOn, Buffer.concat([good, html])],
    ['JPEG: ZIP behind its end', goesOn, Buffer.concat([good, zip])],
    ['JPEG: another picture behind its end', goesOn, Buffer.concat([good, good])],
    ['JPEG: 65,500 pixels square', longEdge, size(65_500, 65_500)],
    ['JPEG: 16,000 pixels square', manyPixels, size(16_000, 16_000)],
    ['JPEG: a height that is told later', noPixels, size(0, 32)],
    ['JPEG: larger than its pixels', damagedPixels, size(4_000, 4_000)],
    ['JPEG: without pixels', noPixels, Buffer.concat([jpegStart, frame, jpegEnd])],
    ['JPEG: pixels before their size', disorder, Buffer.concat([jpegStart, scan, jpegEnd])],
    ['JPEG: two sizes', twoSizes, Buffer.concat([good.subarray(0, sof), frame, good.subarray(sof)])],
    ['JPEG: lossless', unshown, patched(good, sof + 1, [0xc3])],
    ['JPEG: arithmetic coding', unshown, patched(good, sof + 1, [0xc9])],
    ['JPEG: 12 bits', 'The file has impossible colors.', patched(good, sof + 4, [12])],
    ['JPEG: two colors', 'The file has impossible colors.', patched(good, sof + 9, [2])],
    ['JPEG: 200 scans', 'The file has too many scans.', Buffer.concat([good.subarray(0, -2), ...Array(200).fill(scan), jpegEnd])],
    ['JPEG: a part of no length', damagedPart, Buffer.concat([jpegStart, Buffer.from([0xff, 0xe5, 0, 0]), jpegEnd])],
    [
      'JPEG: text between its parts',
      'The file has a part without a name.',
      Buffer.concat([good.subarray(0, sof), html, good.subarray(sof)]),
    ],
    ['JPEG: without its tables', damagedPixels, without(good, dqt, dqt + 2 + good.readUInt16BE(dqt + 2))],
    [
      'JPEG: HTML as its first part',
      'The file has a part that is damaged.',
      Buffer.concat([jpegStart, Buffer.from([0xff, 0xfe, 0, 1]), html]),
    ],
    ['JPEG: a program’s data alone', cutOff, Buffer.concat([jpegStart, jpegSegment(0xe1, html)])],
  ];
}

function gifs(good: Buffer): HostileFile[] {
  const header = gifHeader(8, 8);
  const frames = (count: number, edge: number) =>
    Buffer.concat([gifHeader(edge, edge), ...Array(count).fill(gifFrame(edge, edge)), gifEnd]);
  return [
    ['GIF: its header alone', cutOff, header],
    ['GIF: its first bytes alone', cutOff, Buffer.from('GIF89a')],
    ['GIF: cut off', cutOff, half(good)],
    ['GIF: its end missing', cutOff, good.subarray(0, -1)],
    ['GIF: HTML behind its end', goesOn, Buffer.concat([good, html])],
    ['GIF: ZIP behind its end', goesOn, Buffer.concat([good, zip])],
    ['GIF: JavaScript that begins like one', manyPixels, Buffer.from('GIF89a/*......*/=1;alert(document.domain)//')],
    ['GIF: a screen of 65,535 pixels square', longEdge, Buffer.concat([gifHeader(65_535, 65_535), gifFrame(8, 8), gifEnd])],
    ['GIF: a frame of 65,535 pixels square', longEdge, Buffer.concat([header, gifFrame(65_535, 65_535), gifEnd])],
    ['GIF: no frame', noPixels, Buffer.concat([header, gifEnd])],
    ['GIF: 2,000 frames', 'The file has too many frames.', frames(2_000, 1)],
    ['GIF: 300 frames of a million pixels', 'The file has too many pixels in its frames.', frames(300, 1_000)],
    ['GIF: codes of 200 bits', 'The file is packed in an unknown way.', Buffer.concat([header, gifFrame(8, 8, 200), gifEnd])],
    ['GIF: a part without a name', 'The file has a part without a name.', Buffer.concat([header, Buffer.from([0x99]), gifEnd])],
    ['GIF: a frame without pixels', noPixels, Buffer.concat([header, gifFrame(8, 8).subarray(0, 11), Buffer.from([0]), gifEnd])],
  ];
}

function webps(good: Buffer): HostileFile[] {
  const picture = good.subarray(12);
  const [width, height] = [48, 32];
  const animation = (...frames: Buffer[]) => webp(webpHeader(0x02, width, height), riffChunk('ANIM', Buffer.alloc(6)), ...frames);
  return [
    ['WebP: its first bytes alone', cutOff, Buffer.from('RIFF\x04\0\0\0WEBP', 'latin1')],
    ['WebP: cut off', cutOff, half(good)],
    ['WebP: cut off, its length mended', cutOff, webp(picture.subarray(0, 100))],
    ['WebP: HTML behind its end', goesOn, Buffer.concat([good, html])],
    ['WebP: HTML as a part of a simple one', goesOn, webp(picture, riffChunk('HTML', html))],
    ['WebP: a length beyond its end', cutOff, patched(good, 4, [0xff, 0xff, 0xff, 0x7f])],
    ['WebP: a canvas of 16 million pixels square', longEdge, webp(webpHeader(0, 1 << 24, 1 << 24), picture)],
    ['WebP: a canvas of 16,000 pixels square', manyPixels, webp(webpHeader(0, 16_000, 16_000), picture)],
    ['WebP: a canvas larger than its picture', twoSizes, webp(webpHeader(0, 500, 500), picture)],
    ['WebP: a canvas alone', noPixels, webp(webpHeader(0, width, height))],
    ['WebP: two pictures', disorder, webp(webpHeader(0, width, height), picture, picture)],
    ['WebP: a frame of a film', damagedPixels, patched(good, 20, [good[20]! | 1])],
    ['WebP: a first part longer than the file', cutOff, patched(good, 22, [0xff])],
    ['WebP: lossless without its mark', damagedPixels, webp(riffChunk('VP8L', Buffer.from([0x2e, 7, 0, 0, 0, 0])))],
    ['WebP: a header that is too short', 'The file has a damaged header.', webp(riffChunk('VP8X', Buffer.alloc(4)), picture)],
    ['WebP: a frame beside the canvas', noFit, animation(webpFrame(10, width, height, picture))],
    [
      'WebP: 1,001 frames',
      'The file has too many frames.',
      animation(...Array(1_001).fill(webpFrame(0, width, height, picture))),
    ],
    ['WebP: a frame of another size', twoSizes, animation(webpFrame(0, width - 1, height, picture))],
    [
      'WebP: frames in a picture that has none',
      disorder,
      webp(webpHeader(0, width, height), webpFrame(0, width, height, picture)),
    ],
  ];
}

function avifs(good: Buffer): HostileFile[] {
  const ispe = findBox(good, 'ispe');
  const mdat = findBox(good, 'mdat');
  const iloc = findBox(good, 'iloc');
  const size = (width: number, height: number) => patched(good, ispe + 4, u32(width, height));
  const outside = 'The file has a part that lies outside of it.';
  const firstOffset = findOffset(good, iloc, mdat);
  return [
    ['AVIF: its header alone', 'The file lacks a part.', good.subarray(0, good.readUInt32BE(0))],
    ['AVIF: cut off', cutOff, half(good)],
    ['AVIF: its last byte missing', cutOff, good.subarray(0, -1)],
    ['AVIF: HTML behind its end', cutOff, Buffer.concat([good, html])],
    ['AVIF: 60,000 pixels square', longEdge, size(60_000, 60_000)],
    ['AVIF: 16,000 pixels square', manyPixels, size(16_000, 16_000)],
    ['AVIF: no width', noPixels, size(0, 32)],
    ['AVIF: another size than its pixels', damagedPixels, size(500, 500)],
    ['AVIF: pixels of 16,000 square in a small frame', manyPixels, patched(good, mdat, hugeSequence(good.length - mdat))],
    ['AVIF: pixels of zeros', noPixels, patched(good, mdat, Buffer.alloc(good.length - mdat))],
    ['AVIF: pixels beyond its end', cutOff, patched(good, firstOffset, u32(0x7fff_ffff))],
    ['AVIF: pixels in its own list', outside, patched(good, firstOffset, u32(iloc))],
    ['AVIF: without a list of places', 'The file lacks a part.', patched(good, iloc - 4, Buffer.from('free'))],
    ['AVIF: two lists of parts', 'The file has a part twice.', Buffer.concat([good, box('meta', Buffer.alloc(4))])],
    ['AVIF: a film', 'The file is a film, not a picture.', Buffer.concat([good, box('moov', Buffer.alloc(8))])],
    ['AVIF: a first picture that is not there', noPixels, patched(good, findBox(good, 'pitm') + 4, [0, 99])],
    ['AVIF: pixels without pixels', damagedPixels, patched(good, mdat + 40, Buffer.alloc(good.length - mdat - 40, 0x55))],
  ];
}

/** Where `iloc` says where the pixels begin. */
function findOffset(file: Buffer, from: number, mdat: number): number {
  for (let at = from; at < mdat; at++) if (file.readUInt32BE(at) === mdat) return at;
  throw new Error('iloc does not name the pixels');
}

/** A sequence header (AV1 5.5) for 16,000 pixels square, and padding to the end. */
function hugeSequence(length: number): Buffer {
  const bits = [
    '000',
    '1',
    '1',
    '00000',
    '1111',
    '1111',
    (15_999).toString(2).padStart(16, '0'),
    (15_999).toString(2).padStart(16, '0'),
  ];
  const text = bits.join('').padEnd(80, '0');
  const header = text.match(/.{8}/g)!.map(byte => Number.parseInt(byte, 2));
  const padding = length - 2 - header.length - 3;
  const rest = Buffer.alloc(3 + padding);
  // Type 15 is padding; its length takes two bytes.
  rest[0] = (15 << 3) | 2;
  rest[1] = (padding & 0x7f) | 0x80;
  rest[2] = padding >> 7;
  return Buffer.concat([Buffer.from([(1 << 3) | 2, header.length]), Buffer.from(header), rest]);
}
