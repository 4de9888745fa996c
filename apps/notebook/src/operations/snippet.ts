import { cutIntoSegments, findHits, type Range, type Segment } from '../model/hits.ts';
import { foldForSearch, type SearchWord } from '../model/search-text.ts';

const snippetChars = 220;
const charsBeforeHit = 60;
/** In a long text, exact hits are computed only within a part of this length: that takes a step per character. */
const partChars = 4_000;

/** The part of a plain text that best shows where the words are, with every hit in it marked. */
export function makeSnippet(plain: string, words: readonly SearchWord[]): Segment[] {
  const part = findPart(plain, words);
  const hits = findHits(part.text, words);
  const start = hits.length === 0 ? 0 : cutBefore(part.text, bestStart(hits) - charsBeforeHit);
  const end = cutAfter(part.text, start + snippetChars);
  const text = part.text.slice(start, end);
  const shifted = hits.map(([from, to]): Range => [from - start, to - start]);
  const segments = cutIntoSegments(
    text,
    shifted.filter(([from]) => from >= 0),
  );
  return withEllipses(segments, start > 0 || part.cutBefore, end < part.text.length || part.cutAfter);
}

/** The text below a title that already appears above the snippet; the whole text when it does not begin with the title. */
export function belowTitle(plain: string, title: string): string {
  const rest = plain.slice(title.length);
  return plain.startsWith(title) && /^(?:\s|$)/.test(rest) ? rest.trimStart() : plain;
}

export function hasHit(segments: readonly Segment[]): boolean {
  return segments.some(({ hit }) => hit);
}

interface Part {
  readonly text: string;
  readonly cutBefore: boolean;
  readonly cutAfter: boolean;
}

function findPart(plain: string, words: readonly SearchWord[]): Part {
  if (plain.length <= partChars) return { text: plain, cutBefore: false, cutAfter: false };
  const folded = foldForSearch(plain);
  // The longest word is the most telling one.
  const [place = 0] = words
    .toSorted((one, other) => other.text.length - one.text.length)
    .map(({ text }) => folded.indexOf(text))
    .filter(at => at >= 0);
  // Folding moves characters only slightly, if at all: half a part on each side is enough.
  const middle = Math.floor((place / folded.length) * plain.length);
  const start = cutBefore(plain, middle - partChars / 2);
  const end = cutAfter(plain, start + partChars);
  return { text: plain.slice(start, end), cutBefore: start > 0, cutAfter: end < plain.length };
}

/** The hit from which a snippet covers the most others. */
function bestStart(hits: readonly Range[]): number {
  let best = 0;
  let most = 0;
  for (let from = 0, to = 0; from < hits.length; from++) {
    while (to < hits.length && hits[to]![1] - hits[from]![0] <= snippetChars - charsBeforeHit) to++;
    if (to - from > most) [best, most] = [from, to - from];
  }
  return hits[best]![0];
}

const nearbyChars = 20;

/** Moves slightly later to the start of a word, if there is one. */
function cutBefore(text: string, at: number): number {
  if (at <= 0) return 0;
  const space = text.indexOf(' ', at);
  return space >= 0 && space - at <= nearbyChars ? space + 1 : outsidePair(text, at);
}

/** Moves slightly earlier to the end of a word, if there is one. */
function cutAfter(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const space = text.lastIndexOf(' ', at);
  return space > 0 && at - space <= nearbyChars ? space : outsidePair(text, at);
}

function outsidePair(text: string, at: number): number {
  const low = text.charCodeAt(at);
  return low >= 0xdc00 && low <= 0xdfff ? at - 1 : at;
}

function withEllipses(segments: readonly Segment[], before: boolean, after: boolean): Segment[] {
  const all = [...(before ? [{ text: '…', hit: false }] : []), ...segments, ...(after ? [{ text: '…', hit: false }] : [])];
  const joined: Segment[] = [];
  for (const segment of all) {
    const last = joined.at(-1);
    if (last && last.hit === segment.hit) joined[joined.length - 1] = { text: last.text + segment.text, hit: segment.hit };
    else joined.push(segment);
  }
  return joined;
}
