import { limits } from '../limits.ts';
import { withEmoji } from './emoji/emoji.ts';
import { type HtmlBlock, openHtmlBlock } from './html-block.ts';
import { isHtmlTag } from './known-tags.ts';
import { normalize } from './normalize.ts';

/** Only the start of a long text is searched for a title. */
const searchedChars = 100_000;
/** Limited, because one request may bring two hundred pages of one-letter lines. */
const searchedLines = 1_000;
const searchedLineChars = 2_000;

/** Plain text of the first heading (`# …` or underlined), '' if there is none. At most 200 characters. */
export function firstHeading(markdown: string): string {
  const lines = normalize(markdown.slice(0, searchedChars)).split('\n', searchedLines);
  let fence = '';
  let html: HtmlBlock | undefined;
  let paragraph = '';
  for (const [number, whole] of lines.entries()) {
    const line = whole.slice(0, searchedLineChars);
    html ??= fence ? undefined : openHtmlBlock(line, paragraph !== '');
    if (html) {
      const title = html.holdsHeadings ? plainText(readHtml(lines, number) ?? '') : '';
      if (title) return title;
      if (html.end.test(whole)) html = undefined;
      paragraph = '';
      continue;
    }
    const opening = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1] ?? '';
    if (fence) {
      if (opening.startsWith(fence) && line.trim() === opening) fence = '';
      continue;
    }
    if (opening) {
      fence = opening;
      paragraph = '';
      continue;
    }
    const heading = readAtx(line) ?? (paragraph && /^ {0,3}(?:=+|-+)[ \t]*$/.test(line) ? paragraph : undefined);
    const title = heading === undefined ? '' : plainText(heading);
    if (title) return title;
    paragraph = heading === undefined ? continueParagraph(paragraph, line) : '';
  }
  return '';
}

/** The most lines of a heading written as HTML. */
const htmlLines = 10;
const htmlOpening = /^ {0,3}(?:<(?:div|p|center|header)(?:\s[^<>]{0,500})?>[ \t]{0,10})?<h[1-6](?:\s[^<>]{0,500})?>/i;

/** Reads `<h1 align="center">Title</h1>`, as projects write it to center their title. */
function readHtml(lines: readonly string[], number: number): string | undefined {
  const opening = htmlOpening.exec(lines[number]!.slice(0, searchedLineChars))?.[0];
  if (opening === undefined) return undefined;
  const text = lines
    .slice(number, number + htmlLines)
    .map(line => line.slice(0, searchedLineChars))
    .join(' ')
    .slice(opening.length, searchedLineChars);
  const end = text.search(/<\/h[1-6]/i);
  return end === -1 ? undefined : text.slice(0, end);
}

function readAtx(line: string): string | undefined {
  const found = /^ {0,3}#{1,6}(?:[ \t](.*))?$/.exec(line);
  return found ? (found[1] ?? '').trim().replace(/(?:^|[ \t])#+$/, '') : undefined;
}

/** A thematic break: three or more of the same character, with or without spaces between them. */
function isThematicBreak(line: string): boolean {
  return /^ {0,3}[*_-]/.test(line) && /^([*_-])\1{2,}$/.test(line.replace(/[ \t]/g, ''));
}

/** Returns the paragraph that an underline would make a heading. A break, quote, list, indented code or link definition is none. */
function continueParagraph(paragraph: string, line: string): string {
  if (isThematicBreak(line) || (paragraph === '' && /^ {0,3}\[[^[\]]{1,1000}\]:/.test(line))) return '';
  if (line.trim() === '' || (paragraph === '' && /^(?: {4}|\t)/.test(line))) return '';
  if (/^ {0,3}(?:>|[-*+][ \t]|\d{1,9}[.)][ \t]|<[a-z/!?]|\|)/i.test(line)) return '';
  return paragraph.length > searchedLineChars ? paragraph : `${paragraph} ${line.trim()}`.trim();
}

const named: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  nbsp: ' ',
  copy: '©',
  mdash: '—',
  ndash: '–',
  hellip: '…',
};

/** Removes inline marks. A title is text and is never inserted into a page as HTML. */
function plainText(inline: string): string {
  const kept: string[] = [];
  const keep = (text: string): string => `\0${kept.push(text) - 1}\0`;
  const prose = inline
    .slice(0, searchedLineChars)
    // super-linear: the text has at most 2,000 characters, like all here.
    .replace(/(`+)([^`](?:.{0,500}?[^`])?)\1(?!`)/g, (_, _ticks, code: string) => keep(code.trim()))
    .replace(/\\([!-/:-@[-`{-~])/g, (_, sign: string) => keep(sign));
  const stripped = withEmoji(prose)
    .replace(/(?<![\p{L}\p{N}_=])==(?![\s=])([^=]{1,500}?)(?<!\s)==(?![\p{L}\p{N}_=])/gu, '$1')
    .replace(/!?\[([^[\]]{0,500})\](?:\([^()\s]{0,500}(?:[ \t]+"[^"]{0,200}")?\)|\[[^[\]]{0,200}\])/g, '$1')
    .replace(/<((?:https?:\/\/|mailto:)[^\s<>]{1,500})>/gi, '$1')
    // super-linear: the text has at most 2,000 characters.
    .replace(/<\/?([a-z][^\s/<>]{0,50})[^<>]{0,500}>|<!--.{0,500}?-->/gi, (tag, name?: string) => {
      if (name && !isHtmlTag(name)) return tag;
      return name?.toLowerCase() === 'br' ? ' ' : '';
    })
    // super-linear: the text has at most 2,000 characters.
    .replace(/\[\^[^\]\s]{1,200}\]/g, '')
    .replace(/(?<![\p{L}\p{N}_])(_{1,3})(?=\S)([^_]{1,500}?)\1(?![\p{L}\p{N}_])/gu, '$2')
    .replace(/(\*{1,3}|~{1,2})(?=\S)([^*~]{1,500}?)\1/g, '$2')
    .replace(/(\*{1,3}|~{1,2})(?=\S)([^*~]{1,500}?)\1/g, '$2')
    .replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi, decodeReference)
    .replace(/\0(\d+)\0/g, (_, index: string) => kept[Number(index)] ?? '')
    // Direction controls could reverse the text after the title (model/title.ts).
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  return cutTitle(stripped);
}

/** Counts characters as the limit of a given title does: a heading that would be accepted as a title is not cut. */
export const cutTitle = (title: string): string =>
  // Only as much as can count is taken apart, even if a whole page is one line: a character has at most two units.
  [...title.slice(0, 2 * limits.maxTitleChars)].slice(0, limits.maxTitleChars).join('').toWellFormed().trim();

function decodeReference(whole: string, decimal?: string, hex?: string, name?: string): string {
  if (name) return named[name.toLowerCase()] ?? whole;
  const code = decimal ? Number(decimal) : Number.parseInt(hex!, 16);
  return code > 31 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : '\uFFFD';
}
