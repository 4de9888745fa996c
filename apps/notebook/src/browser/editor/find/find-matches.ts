export interface Query {
  readonly words: string;
  readonly matchCase: boolean;
  readonly wholeWords: boolean;
  /** Whether the words are a regular expression. */
  readonly expression: boolean;
}

/** `to` is excluded. */
export interface Match {
  readonly from: number;
  readonly to: number;
}

export interface Found {
  readonly matches: readonly Match[];
  /** Whether there are more than the list has. */
  readonly more: boolean;
}

export const mostMatches = 10_000;
/** A page holds at most a mebibyte, so a much longer result is useless. */
const longestResult = 4_000_000;

/** Why there is no result, as a sentence for the writer. */
export class FindFault extends Error {
  override readonly name = 'FindFault';
}

/** @throws FindFault when the expression is invalid */
export function findMatches(text: string, query: Query): Found {
  const matches: Match[] = [];
  for (const { index, 0: found } of findIn(text, query)) {
    if (matches.length === mostMatches) return { matches, more: true };
    matches.push({ from: index, to: index + found.length });
  }
  return { matches, more: false };
}

/** Replaces every match by `words`. With an expression, `$1`, `$<name>`, `$&`, `\n` and `\t` in `words` have their usual meaning. */
export function replaceMatches(text: string, query: Query, words: string): { text: string; count: number } {
  const parts: string[] = [];
  let [at, count, length] = [0, 0, 0];
  for (const match of findIn(text, query)) {
    const insert = query.expression ? expand(words, match) : words;
    parts.push(text.slice(at, match.index), insert);
    length += insert.length;
    if (length > longestResult) throw new FindFault('The page would become too long.');
    at = match.index + match[0].length;
    count += 1;
  }
  return { text: parts.join('') + text.slice(at), count };
}

/** Returns the replacement of one match, or undefined if the match is no longer there. */
export function replacementOf(text: string, query: Query, words: string, { from, to }: Match): string | undefined {
  if (!query.expression) return words;
  for (const match of findIn(text, query)) {
    if (match.index === from && from + match[0].length === to) return expand(words, match);
    if (match.index > from) return undefined;
  }
  return undefined;
}

const word = String.raw`[\p{L}\p{M}\p{N}_]`;

function findIn(text: string, query: Query): Iterable<RegExpExecArray> {
  if (query.words === '') return [];
  const source = query.expression ? query.words : query.words.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const bounded = query.wholeWords ? `(?<!${word})(?:${source})(?!${word})` : source;
  try {
    // super-linear: the writer's own expression, in a worker that is ended when it takes too long.
    return text.matchAll(new RegExp(bounded, query.matchCase ? 'gmu' : 'gimu'));
  } catch {
    throw new FindFault('This is not a regular expression.');
  }
}

function expand(words: string, match: RegExpExecArray): string {
  return words.replace(/\$(?:(\$)|(&)|(\d{1,2})|<([^<>]{1,100})>)|\\([nt\\])/g, (whole, dollar, all, number, name, escaped) => {
    if (dollar) return '$';
    if (all) return match[0];
    if (number) return Number(number) < match.length ? (match[Number(number)] ?? '') : whole;
    if (name) return match.groups?.[name] ?? '';
    return { n: '\n', t: '\t', '\\': '\\' }[escaped as 'n' | 't' | '\\'];
  });
}
