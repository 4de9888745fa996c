import { foldForSearch, type SearchWord, wordRuns } from './search-text.ts';

/** A piece of text, and whether it is a search hit. */
export interface Segment {
  readonly text: string;
  readonly hit: boolean;
}

/** Start and end in UTF-16 units; ranges are sorted and do not touch. */
export type Range = readonly [start: number, end: number];

/** A character with its combining marks, so that folding it alone gives the same as folding the whole text. */
const clusters = /[\u1100-\u115f\ua960-\ua97c][\u1160-\u11ff\ud7b0-\ud7fb]*[\p{M}\uff9e\uff9f]*|.[\p{M}\uff9e\uff9f]*/gsu;

interface Folded {
  readonly text: string;
  /** The original position of each unit of the folded text, and the end of the original at the end. */
  readonly places: readonly number[];
}

function foldWithPlaces(original: string): Folded {
  const places: number[] = [];
  // Folding makes several passes in native code, which is expensive for a single character: a text has few different ones.
  const known = new Map<string, string>();
  let text = '';
  for (const { 0: cluster, index } of original.matchAll(clusters)) {
    const folded = known.get(cluster) ?? foldForSearch(cluster);
    known.set(cluster, folded);
    for (let unit = 0; unit < folded.length; unit++) places.push(index);
    text += folded;
  }
  return { text, places: [...places, original.length] };
}

function* occurrences(folded: string, { text, whole }: SearchWord): Generator<number> {
  if (whole) {
    for (const { 0: run, index } of folded.matchAll(wordRuns)) if (run === text) yield index;
    return;
  }
  for (let at = folded.indexOf(text); at >= 0; at = folded.indexOf(text, at + 1)) yield at;
}

/** The positions of the words in the original text: `cafe` is found in `Café`. */
export function findHits(text: string, words: readonly SearchWord[]): Range[] {
  const folded = foldWithPlaces(text);
  const ranges: Range[] = [];
  for (const word of words) {
    for (const at of occurrences(folded.text, word)) {
      let end = at + word.text.length;
      // A hit that ends within the folded form of a character includes the whole character.
      while (end < folded.text.length && folded.places[end] === folded.places[end - 1]) end++;
      ranges.push([folded.places[at]!, folded.places[end]!]);
    }
  }
  return joinRanges(ranges.sort((one, other) => one[0] - other[0] || one[1] - other[1]));
}

function joinRanges(sorted: readonly Range[]): Range[] {
  const joined: [number, number][] = [];
  for (const [start, end] of sorted) {
    const last = joined.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else joined.push([start, end]);
  }
  return joined;
}

/** Cuts the text into pieces; ranges outside it are ignored. */
export function cutIntoSegments(text: string, ranges: readonly Range[]): Segment[] {
  const segments: Segment[] = [];
  let at = 0;
  for (const [start, end] of ranges) {
    if (start < at || end > text.length) continue;
    if (start > at) segments.push({ text: text.slice(at, start), hit: false });
    segments.push({ text: text.slice(start, end), hit: true });
    at = end;
  }
  if (at < text.length) segments.push({ text: text.slice(at), hit: false });
  return segments;
}

/** A short text, such as a title, with every hit marked. */
export function markHits(text: string, words: readonly SearchWord[]): Segment[] {
  return cutIntoSegments(text, findHits(text, words));
}
