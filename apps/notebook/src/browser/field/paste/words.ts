import { escapeLineStart, escapeWords } from './escape-words.ts';

/** What holds for a stretch of words. */
export interface Look {
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly strike?: boolean;
  readonly code?: boolean;
  /** `kbd`, `sub`, `sup`, `mark`: markdown has no sign for them, so their tags stay. */
  readonly tag?: string | undefined;
  readonly href?: string | undefined;
}

/** A stretch of words that look alike, or markdown that is finished (an image, a line break). */
export interface Stretch {
  readonly words: string;
  readonly look: Look;
  readonly finished?: boolean;
}

export const lineBreak = '\\\n';

/** One paragraph's markdown. */
export function writeWords(stretches: readonly Stretch[]): string {
  const written = write(tidySpaces(stretches), ['href', 'tag', 'bold', 'italic', 'strike'], ['', '']);
  const lines = trimEnds(written).words.split('\n');
  return lines.map(line => escapeLineStart(line.trimStart().replace(/ \\$/, '\\'))).join('\n');
}

/** Outside code all white space is one space, and none stands at a line's end or beginning. */
function tidySpaces(stretches: readonly Stretch[]): Stretch[] {
  let spaced = true;
  return stretches.flatMap(stretch => {
    if (stretch.finished) {
      spaced = stretch.words === lineBreak;
      return [stretch];
    }
    const words = stretch.words.replaceAll(/[\s\u00a0]+/g, ' ').replaceAll(/[\u200b\ufeff]/g, '');
    const kept = spaced ? words.replace(/^ /, '') : words;
    if (kept === '') return [];
    spaced = kept.endsWith(' ');
    return [{ ...stretch, words: kept }];
  });
}

type Mark = 'href' | 'tag' | 'bold' | 'italic' | 'strike';

/** From the outermost mark inwards; neighbours that share one share its signs. */
function write(stretches: readonly Stretch[], marks: readonly Mark[], around: readonly [string, string]): string {
  const [mark, ...inner] = marks;
  if (mark === undefined) return stretches.map(writeStretch).join('');
  const groups = groupBy(stretches, mark);
  // The last character is kept aside: asking a text that grows for it copies the whole text each time.
  const written: string[] = [];
  let last = around[0];
  groups.forEach((group, place) => {
    const value = group[0]!.look[mark];
    const before = last;
    const after = groups[place + 1]?.[0]?.words[0] ?? around[1];
    const text = write(group, inner, value ? ['', ''] : [before, after]);
    const wrapped = value ? wrap(text, mark, value, group, [before, after]) : text;
    written.push(wrapped);
    last = wrapped.at(-1) ?? last;
  });
  return written.join('');
}

function groupBy(stretches: readonly Stretch[], mark: Mark): Stretch[][] {
  const groups: Stretch[][] = [];
  for (const stretch of stretches) {
    const last = groups.at(-1);
    if (last && last[0]!.look[mark] === stretch.look[mark]) last.push(stretch);
    else groups.push([stretch]);
  }
  return groups;
}

function wrap(
  text: string,
  mark: Mark,
  value: string | boolean,
  group: readonly Stretch[],
  around: readonly [string, string],
): string {
  // Signs beside a space or a break do not work; they close in on the words.
  const { before, words, after } = trimEnds(text);
  if (words === '') return mark === 'href' ? '' : text;
  const [near, far] = [before || around[0], after || around[1]];
  return before + sign(words, mark, String(value), group, [near, far]) + after;
}

/** Spaces and line breaks at both ends; by hand, because an expression would try every space of a hostile text. */
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
  group: readonly Stretch[],
  [near, far]: readonly [string, string],
): string {
  switch (mark) {
    case 'href':
      return writeLink(words, value, group);
    case 'tag':
      return `<${value}>${words}</${value}>`;
    case 'bold':
      return `**${words}**`;
    case 'strike':
      return `~~${words}~~`;
    default: {
      const inWord = /[\p{L}\p{N}]$/u.test(near) || /^[\p{L}\p{N}]/u.test(far);
      return inWord ? `*${words}*` : `_${words}_`;
    }
  }
}

function writeLink(words: string, href: string, group: readonly Stretch[]): string {
  const bare = group
    .map(stretch => stretch.words)
    .join('')
    .trim();
  const plain = group.every(({ finished, look }) => !finished && !look.code);
  if (plain && (bare === href || `mailto:${bare}` === href || `${bare}/` === href)) return bare;
  // A bracket that closes nothing would end the link's words.
  return `[${words.replaceAll(/(?<!\\)([[\]])(?![^[\]]*\]\()/g, group.some(({ finished }) => finished) ? '$1' : '\\$1')}](${href})`;
}

function writeStretch({ words, look, finished }: Stretch): string {
  if (finished) return words;
  return look.code ? writeCode(words) : escapeWords(words);
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
