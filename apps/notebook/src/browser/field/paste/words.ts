import { takesMarks, touchesLetter } from '../formatting/flanking.ts';
import { escapeLineStart, escapeWords } from './escape-words.ts';

/** The formatting of a run of words. */
export interface TextStyle {
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly strike?: boolean;
  readonly code?: boolean;
  /** `kbd`, `sub`, `sup` or `mark`. Markdown has no marks for them, so their tags stay. */
  readonly tag?: string | undefined;
  readonly href?: string | undefined;
}

/** A run of words with the same formatting, or finished Markdown (an image, a line break). */
export interface TextRun {
  readonly words: string;
  readonly style: TextStyle;
  readonly finished?: boolean;
}

export const lineBreak = '\\\n';

/** Writes one paragraph as Markdown. */
export function writeWords(runs: readonly TextRun[]): string {
  const written = write(tidySpaces(runs), ['href', 'tag', 'bold', 'italic', 'strike'], ['', '']);
  const lines = trimEnds(written).words.split('\n');
  return lines.map(line => escapeLineStart(line.trimStart().replace(/ \\$/, '\\'))).join('\n');
}

/** Outside code, collapses white space into one space and removes it at the start and end of a line. */
function tidySpaces(runs: readonly TextRun[]): TextRun[] {
  let spaced = true;
  return runs.flatMap(run => {
    if (run.finished) {
      spaced = run.words === lineBreak;
      return [run];
    }
    const words = run.words.replaceAll(/[\s\u00a0]+/g, ' ').replaceAll(/[\u200b\ufeff]/g, '');
    const kept = spaced ? words.replace(/^ /, '') : words;
    if (kept === '') return [];
    spaced = kept.endsWith(' ');
    return [{ ...run, words: kept }];
  });
}

type Mark = 'href' | 'tag' | 'bold' | 'italic' | 'strike';

/** Writes marks from the outermost inwards. Neighboring runs that share a mark are wrapped together. */
function write(runs: readonly TextRun[], marks: readonly Mark[], around: readonly [string, string]): string {
  const [mark, ...inner] = marks;
  if (mark === undefined) return joinCode(runs).map(writeRun).join('');
  const groups = groupBy(runs, mark);
  // The last character is kept separately: reading it from a growing string copies the whole string each time.
  const written: string[] = [];
  let last = around[0];
  groups.forEach((group, place) => {
    const value = group[0]!.style[mark];
    const before = last;
    const after = groups[place + 1]?.[0]?.words[0] ?? around[1];
    const text = write(group, inner, value ? ['', ''] : [before, after]);
    const wrapped = value ? wrap(text, mark, value, group, [before, after]) : text;
    written.push(wrapped);
    last = wrapped.at(-1) ?? last;
  });
  return written.join('');
}

/** Colored code is many runs, but one span: the backticks of two spans side by side would be read as one longer mark. */
function joinCode(runs: readonly TextRun[]): TextRun[] {
  const joined: TextRun[] = [];
  for (const run of runs) {
    const last = joined.at(-1);
    if (last?.style.code && run.style.code && !last.finished && !run.finished)
      joined[joined.length - 1] = { ...last, words: last.words + run.words };
    else joined.push(run);
  }
  return joined;
}

function groupBy(runs: readonly TextRun[], mark: Mark): TextRun[][] {
  const groups: TextRun[][] = [];
  for (const run of runs) {
    const last = groups.at(-1);
    if (last && last[0]!.style[mark] === run.style[mark]) last.push(run);
    else groups.push([run]);
  }
  return groups;
}

function wrap(
  text: string,
  mark: Mark,
  value: string | boolean,
  group: readonly TextRun[],
  around: readonly [string, string],
): string {
  // Markdown ignores marks next to a space or a break, so they are moved inwards to the words.
  const { before, words, after } = trimEnds(text);
  if (words === '') return mark === 'href' ? '' : text;
  const [near, far] = [before || around[0], after || around[1]];
  return before + sign(words, mark, String(value), group, [near, far]) + after;
}

/** Splits off spaces and line breaks at both ends. A regular expression would try every space of a hostile text. */
function trimEnds(text: string): { before: string; words: string; after: string } {
  let [start, end] = [0, text.length];
  while (start < end && (/\s/.test(text[start]!) || text.startsWith(lineBreak, start))) start += 1;
  while (end > start && (/\s/.test(text[end - 1]!) || (text[end - 1] === '\\' && text[end] === '\n'))) end -= 1;
  return { before: text.slice(0, start), words: text.slice(start, end), after: text.slice(end) };
}

function sign(
  words: string,
  mark: Mark,
  value: string,
  group: readonly TextRun[],
  [near, far]: readonly [string, string],
): string {
  switch (mark) {
    case 'href':
      return writeLink(words, value, group);
    case 'tag':
      return `<${value}>${words}</${value}>`;
    case 'bold':
      return takesMarks(words, near, far) ? `**${words}**` : `<strong>${words}</strong>`;
    case 'strike':
      return takesMarks(words, near, far) ? `~~${words}~~` : `<del>${words}</del>`;
    default: {
      if (!takesMarks(words, near, far)) return `<em>${words}</em>`;
      return touchesLetter(near, far) ? `*${words}*` : `_${words}_`;
    }
  }
}

function writeLink(words: string, href: string, group: readonly TextRun[]): string {
  const bare = group
    .map(run => run.words)
    .join('')
    .trim();
  const plain = group.every(({ finished, style }) => !finished && !style.code);
  if (plain && (bare === href || `mailto:${bare}` === href || `${bare}/` === href)) return bare;
  // An unmatched bracket would end the link's text.
  return `[${words.replaceAll(/(?<!\\)([[\]])(?![^[\]]*\]\()/g, group.some(({ finished }) => finished) ? '$1' : '\\$1')}](${href})`;
}

function writeRun({ words, style, finished }: TextRun): string {
  if (finished) return words;
  return style.code ? writeCode(words) : escapeWords(words);
}

function writeCode(words: string): string {
  const code = words.trim();
  if (code === '') return words;
  const [before, after] = [words.slice(0, words.indexOf(code)), words.slice(words.indexOf(code) + code.length)];
  const longest = [...code.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 0);
  const fence = '`'.repeat(longest + 1);
  const pad = /^`|`$/.test(code) ? ' ' : '';
  return before + fence + pad + code + pad + fence + after;
}
