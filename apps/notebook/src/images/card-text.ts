import sharp, { type Sharp } from 'sharp';

/** A typeface and sizes in pixels; `pitch` is the distance between baselines. */
export interface TextStyle {
  readonly family: string;
  readonly weight: number;
  readonly size: number;
  readonly pitch: number;
  readonly color: string;
}

export interface TypesetText {
  readonly image: Buffer;
  /** The width of the longest line. */
  readonly width: number;
  readonly fromRight: boolean;
  readonly lines: number;
  /** Distance from the upper edge of the image to the first baseline. */
  readonly firstBaseline: number;
}

/** Untrusted words go only through Pango, never into the SVG. */
function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The same Han character looks different in different languages: kana and hangul tell which one it is. */
function languageOf(text: string): string {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return 'ja';
  return /\p{Script=Hangul}/u.test(text) ? 'ko' : 'zh-cn';
}

function layOut(markup: string, width: number): Sharp {
  return sharp({ text: { text: markup, rgba: true, dpi: 72, width, wrap: 'word-char' } });
}

/** The image begins where its ink begins. An invisible stroke above the text keeps the baselines in place. */
function withStroke({ family, weight, size, pitch, color }: TextStyle, text: string): string {
  const span = `font="${family} ${size}" weight="${weight}" line_height="${pitch * 1024}" lang="${languageOf(text)}" insert_hyphens="no"`;
  return `<span ${span} color="${color}"><span alpha="1">|</span>\n${escapeMarkup(text)}</span>`;
}

/** The first letter decides (Unicode Bidirectional Algorithm, rule P2), as it does in Pango. */
const beginsRightToLeft = /^\P{L}*[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

const heights = new Map<string, number>();

async function baselineOf(style: TextStyle): Promise<number> {
  const key = `${style.family} ${style.size} ${style.pitch}`;
  const known = heights.get(key);
  if (known !== undefined) return known;
  const { info } = await layOut(withStroke(style, 'H'), 200).png().toBuffer({ resolveWithObject: true });
  heights.set(key, info.height);
  return info.height;
}

/** Sets the text in lines no wider than `width`; right to left if the text begins that way. */
export async function typeset(style: TextStyle, text: string, width: number): Promise<TypesetText> {
  const { data, info } = await layOut(withStroke(style, text), width).png().toBuffer({ resolveWithObject: true });
  const firstBaseline = await baselineOf(style);
  // Descenders never reach the next baseline.
  const lines = Math.max(1, Math.floor((info.height - firstBaseline) / style.pitch) + 1);
  return { image: data, width: info.width, fromRight: beginsRightToLeft.test(text), lines, firstBaseline };
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** As much of the text as fits into `maxLines`; a text that is cut ends with "…". */
export async function typesetWithin(style: TextStyle, text: string, width: number, maxLines: number): Promise<TypesetText> {
  const whole = await typeset(style, text, width);
  if (whole.lines <= maxLines) return whole;
  const parts = Array.from(graphemes.segment(text), ({ segment }) => segment);
  let [fits, tooLong] = [0, parts.length];
  let best = await typeset(style, '…', width);
  while (tooLong - fits > 1) {
    const half = Math.floor((fits + tooLong) / 2);
    const tried = await typeset(style, `${parts.slice(0, half).join('').trimEnd()}…`, width);
    if (tried.lines <= maxLines) [fits, best] = [half, tried];
    else tooLong = half;
  }
  return best;
}

const probe: TextStyle = { family: 'Source Serif 4', weight: 400, size: 32, pitch: 32, color: '#000000' };

/** The image of one character, one byte of opacity per pixel. */
async function inkOf(character: string) {
  const markup = `<span font="${probe.family} ${probe.size}">${escapeMarkup(character)}</span>`;
  return layOut(markup, 400).extractChannel('alpha').raw().toBuffer({ resolveWithObject: true });
}

/** For a character that no typeface has, Pango draws a box with its number: 4 digits or 6. */
const noncharacters = ['\ufffe', '\u{10fffe}'];
let boxes: Promise<string[]> | undefined;

async function boxSizes(): Promise<string[]> {
  return Promise.all(noncharacters.map(async each => sizeOf((await inkOf(each)).info)));
}

const sizeOf = ({ width, height }: { width: number; height: number }) => `${width} ${height}`;

async function isBox(character: string): Promise<boolean> {
  boxes ??= boxSizes();
  const { data, info } = await inkOf(character);
  if (!(await boxes).includes(sizeOf(info))) return false;
  const { width, height } = info;
  const isInk = (x: number, y: number) => data[y * width + x]! > 0;
  // The ink begins slightly to the right of the edge.
  let left = 0;
  while (left < width && !isInk(left, 0)) left++;
  for (let x = left; x < width; x++) if (!isInk(x, 0) || !isInk(x, height - 1)) return false;
  for (let y = 0; y < height; y++) if (!isInk(left, y) || !isInk(width - 1, y)) return false;
  return left < width;
}

/** Characters checked before; a few bytes each. */
const known = new Map<string, boolean>();
const maxKnown = 20_000;

async function isMissing(character: string): Promise<boolean> {
  const before = known.get(character);
  if (before !== undefined) return before;
  const missing = await isBox(character);
  if (known.size >= maxKnown) known.clear();
  known.set(character, missing);
  return missing;
}

/** These draw nothing on their own. */
const unseen = /[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}]/u;
const spaces = /[\p{White_Space}\p{Cc}]/u;
const readable = /[\p{L}\p{M}\p{N}]/u;

/**
 * Removes what no typeface here can draw. A missing symbol or picture is left out alone; a word that lacks letters is dropped completely,
 * because boxes tell nobody anything.
 */
export async function removeUndrawable(text: string): Promise<string> {
  let kept = '';
  let leftOut = false;
  for (const character of text.toWellFormed()) {
    // Joiners between emoji go with them.
    if (unseen.test(character)) kept += spaces.test(character) ? ' ' : kept.endsWith(' ') || kept === '' ? '' : character;
    else if (!(await isMissing(character))) kept += character;
    else if (readable.test(character)) return '';
    else leftOut = true;
  }
  const tidy = kept.replace(/ +/g, ' ').trim();
  return leftOut ? tidy.replace(/ (?=[,.;:!?)])/g, '') : tidy;
}
