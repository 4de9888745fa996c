import { Bytes, refuseUnless, textBytes } from './bytes.ts';
import { isTurned, orientationOnly, readOrientation } from './orientation.ts';
import { type ReadImage, readImage } from './read-image.ts';
import { requireSize } from './size.ts';

const start = 0xd8;
const end = 0xd9;
const scan = 0xda;
/** Baseline, extended and progressive: the frames that browsers decode. */
const frames = new Set([0xc0, 0xc1, 0xc2]);
/** Quantization tables, Huffman tables, restart interval. */
const tables = new Set([0xdb, 0xc4, 0xdd]);
const app = 0xe0;
const comment = 0xfe;

/** A progressive file may contain any number of scans, and for each a decoder processes the whole picture; real files have about ten. */
const maxScans = 100;

interface Frame {
  readonly width: number;
  readonly height: number;
}

/** Findings on the way through the segments. */
interface State {
  readonly kept: Uint8Array[];
  frame: Frame | undefined;
  jfif: Uint8Array | undefined;
  orientation: number | undefined;
  /** CIPA DC-007: more pictures follow after the end of this one (previews, gain maps). */
  hasFollowers: boolean;
  scans: number;
}

/** Keeps only what a decoder needs, and the color profile: no EXIF, XMP, IPTC, comment or thumbnail. */
export function readJpeg(bytes: Bytes): ReadImage {
  const state: State = { kept: [], frame: undefined, jfif: undefined, orientation: undefined, hasFollowers: false, scans: 0 };
  let at = 2;
  for (;;) {
    const { marker, after } = nextMarker(bytes, at);
    if (marker === end) {
      refuseUnless(state.scans > 0, 'has no pixels');
      if (!state.hasFollowers) bytes.requireEnd(after);
      break;
    }
    const length = bytes.u16(after);
    refuseUnless(length >= 2, 'has a part that is damaged');
    const segment = { marker, data: new Bytes(bytes.slice(after + 2, length - 2)), whole: bytes.slice(after, length) };
    at = after + length;
    if (marker === scan) at = takeScan(state, segment, bytes, at);
    else takeSegment(state, segment);
  }
  return finish(state);
}

function finish({ frame, jfif, orientation = 1, kept }: State): ReadImage {
  refuseUnless(frame !== undefined, 'has no pixels');
  const exif = orientationOnly(orientation);
  const head = [Uint8Array.of(0xff, start), ...(jfif ? [jfif] : [])];
  if (exif) head.push(segment(app + 1, Buffer.concat([textBytes('Exif\0\0'), exif])));
  const bytes = Buffer.concat([...head, ...kept, Uint8Array.of(0xff, end)]);
  return readImage({ type: 'jpeg', ...frame, turned: isTurned(orientation), bytes });
}

/** Any number of 0xFF may precede a marker. */
function nextMarker(bytes: Bytes, at: number): { marker: number; after: number } {
  refuseUnless(bytes.u8(at) === 0xff, 'has a part without a name');
  let after = at + 1;
  while (bytes.u8(after) === 0xff) after += 1;
  return { marker: bytes.u8(after), after: after + 1 };
}

interface Segment {
  readonly marker: number;
  readonly data: Bytes;
  /** Begins at its length. */
  readonly whole: Uint8Array;
}

function takeSegment(state: State, { marker, data, whole }: Segment): void {
  const keep = () => state.kept.push(Uint8Array.of(0xff, marker), whole);
  if (frames.has(marker)) {
    refuseUnless(state.frame === undefined, 'has two different sizes');
    state.frame = readFrame(data);
    keep();
  } else if (tables.has(marker)) keep();
  else if (marker >= app && marker <= app + 15) takeApplication(state, marker - app, data, keep);
  else refuseUnless(marker === comment, 'is packed in a way that browsers do not show');
}

function takeApplication(state: State, number: number, data: Bytes, keep: () => void): void {
  if (number === 0 && data.startsWith(0, 'JFIF\0')) {
    // Without the thumbnail that may follow: its width and height are the last two of these 14 bytes.
    state.jfif ??= segment(app, Buffer.concat([data.slice(0, 12), Uint8Array.of(0, 0)]));
  } else if (number === 1 && data.startsWith(0, 'Exif\0\0')) state.orientation ??= readOrientation(data.all.subarray(6));
  else if (number === 2 && data.startsWith(0, 'MPF\0')) state.hasFollowers = true;
  else if (number === 2 && data.startsWith(0, 'ICC_PROFILE\0')) keep();
  // How the colors were transformed before compression; without it a decoder guesses.
  else if (number === 14 && data.startsWith(0, 'Adobe') && data.length === 12) keep();
}

function readFrame(data: Bytes): Frame {
  const [height, width, components] = [data.u16(1), data.u16(3), data.u8(5)];
  requireSize(width, height);
  refuseUnless(data.u8(0) === 8 && [1, 3, 4].includes(components), 'has impossible colors');
  refuseUnless(data.length === 6 + 3 * components, 'has a damaged header');
  return { width, height };
}

/** Copies the compressed pixels unchanged. @returns the position where they end: at the next marker that does not belong to them */
function takeScan(state: State, { whole }: Segment, bytes: Bytes, from: number): number {
  refuseUnless(state.frame !== undefined, 'has its parts in disorder');
  state.scans += 1;
  refuseUnless(state.scans <= maxScans, 'has too many scans');
  let at = bytes.all.indexOf(0xff, from);
  while (at >= 0 && isInsideScan(bytes.u8(at + 1))) at = bytes.all.indexOf(0xff, at + 1);
  refuseUnless(at >= 0, 'is cut off');
  refuseUnless(at > from, 'has no pixels');
  state.kept.push(Uint8Array.of(0xff, scan), whole, bytes.slice(from, at - from));
  return at;
}

/** A stuffed zero, a restart marker, or one more 0xFF. */
function isInsideScan(byte: number): boolean {
  return byte === 0 || byte === 0xff || (byte >= 0xd0 && byte <= 0xd7);
}

function segment(marker: number, data: Uint8Array): Uint8Array {
  const length = data.length + 2;
  return Buffer.concat([Uint8Array.of(0xff, marker, length >> 8, length & 0xff), data]);
}
