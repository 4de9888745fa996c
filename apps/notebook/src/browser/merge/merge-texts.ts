import { applyHunks, findHunks, type Hunk } from './text-hunks.ts';

/** A part of the merged text, in lines, or a part that both sides changed differently. */
export type MergePart =
  | { readonly kind: 'merged'; readonly lines: readonly string[] }
  | { readonly kind: 'both'; readonly mine: readonly string[]; readonly theirs: readonly string[] };

/** Merges the changes of both sides. Undefined when they overlap. */
export function mergeTexts(base: string, mine: string, theirs: string): string | undefined {
  if (mine === theirs || theirs === base) return mine;
  if (mine === base) return theirs;
  const lines: string[] = [];
  for (const part of mergeParts(base, mine, theirs)) {
    if (part.kind === 'both') return undefined;
    for (const line of part.lines) lines.push(line);
  }
  return lines.join('\n');
}

/** Merges line by line, and word by word where both changed the same lines. */
export function mergeParts(base: string, mine: string, theirs: string): MergePart[] {
  const lines = base.split('\n');
  return weave(lines, findHunks(lines, mine.split('\n')), findHunks(lines, theirs.split('\n')), overlaps).map(part =>
    part.kind === 'merged' ? part : (mergeWords(part) ?? part),
  );
}

/** Tokens of the base that both sides changed. */
interface Clash {
  readonly kind: 'both';
  readonly base: readonly string[];
  readonly mine: readonly string[];
  readonly theirs: readonly string[];
}

type Overlap = (one: Range, other: Range) => boolean;
type Range = { readonly from: number; readonly to: number };

const overlaps: Overlap = (one, other) =>
  (one.from < other.to && other.from < one.to) ||
  // For two insertions at the same place we cannot know which comes first.
  (one.from === one.to && other.from === other.to && one.from === other.from);

/** Two changes in one line need an untouched word between them: adjacent words usually belong together. */
const touches: Overlap = (one, other) => one.from <= other.to && other.from <= one.to;

function weave(
  base: readonly string[],
  mine: readonly Hunk[],
  theirs: readonly Hunk[],
  together: Overlap,
): (Extract<MergePart, { kind: 'merged' }> | Clash)[] {
  const made: (Extract<MergePart, { kind: 'merged' }> | Clash)[] = [];
  const left = [...mine];
  const right = [...theirs];
  let at = 0;
  const keepUntil = (place: number): void => {
    if (place > at) made.push({ kind: 'merged', lines: base.slice(at, place) });
    at = Math.max(at, place);
  };
  while (left.length > 0 || right.length > 0) {
    const { from, to, ours, others } = takeGroup(left, right, together);
    keepUntil(from);
    const one = applyHunks(base, ours, from, to);
    const other = applyHunks(base, others, from, to);
    if (others.length === 0 || same(one, other)) made.push({ kind: 'merged', lines: one });
    else if (ours.length === 0) made.push({ kind: 'merged', lines: other });
    else made.push({ kind: 'both', base: base.slice(from, to), mine: one, theirs: other });
    at = to;
  }
  keepUntil(base.length);
  return made;
}

/** Takes the next change and all changes of either side that overlap it, directly or through others. */
function takeGroup(left: Hunk[], right: Hunk[], together: Overlap) {
  const ours: Hunk[] = [];
  const others: Hunk[] = [];
  const range = { from: Number.POSITIVE_INFINITY, to: Number.NEGATIVE_INFINITY };
  const take = (from: Hunk[], into: Hunk[]): void => {
    const hunk = from.shift()!;
    into.push(hunk);
    range.from = Math.min(range.from, hunk.from);
    range.to = Math.max(range.to, hunk.to);
  };
  if (comesFirst(left[0], right[0])) take(left, ours);
  else take(right, others);
  for (;;) {
    if (left[0] && together(left[0], range)) take(left, ours);
    else if (right[0] && together(right[0], range)) take(right, others);
    else return { ...range, ours, others };
  }
}

/** An insertion comes before a replacement that begins at the same place. */
function comesFirst(one: Hunk | undefined, other: Hunk | undefined): boolean {
  if (!one || !other) return one !== undefined;
  return one.from < other.from || (one.from === other.from && one.to <= other.to);
}

const same = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((token, place) => token === other[place]);

/** A word with the space after it. Scripts without spaces are split letter by letter. */
const word =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+\s*|\s+/gu;

function mergeWords({ base, mine, theirs }: Clash): MergePart | undefined {
  if (base.length === 0 || mine.length === 0 || theirs.length === 0) return undefined;
  const words = (lines: readonly string[]): string[] => lines.join('\n').match(word) ?? [];
  const from = words(base);
  const parts = weave(from, findHunks(from, words(mine)), findHunks(from, words(theirs)), touches);
  if (parts.some(part => part.kind === 'both')) return undefined;
  const text = parts.flatMap(part => (part.kind === 'merged' ? part.lines : [])).join('');
  return { kind: 'merged', lines: text.split('\n') };
}
