import type { Lexer, TokenizerExtension } from 'marked';
import { lastSignOf } from '../highlighted.ts';

/**
 * Formulas by GitHub's rules. `$` opens before a character that is not a space and closes after one. Neither may touch a word or a number
 * on its outside, so that "$5 and $6" stays money. Chinese, Japanese and Korean words need no space around them.
 */
const touching = /[\p{L}\p{N}_$\\]/u;
const spacelessScript = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/u;

const longestFormula = 20_010;
/** No run of text without Markdown characters is longer than this. */
const longestParagraph = 65_536;

const inlineForms: readonly { readonly form: RegExp; readonly display: boolean }[] = [
  { form: /^\$`([^`\n]{1,2000})`\$/, display: false },
  { form: /^\$\$(?!\$)((?:\\[\s\S]|\$(?!\$)|[^\\$`]){1,20000}?)\$\$(?!\$)/, display: true },
  { form: /^\$(?![\s$`])((?:\\[\s\S]|[^\\$`]){0,2000}?[^\s\\$`]|(?:\\[\s\S]|[^\\$`]){0,2000}?\\[^\s])\$(?!\$)/, display: false },
];

function touches(sign: string | undefined): boolean {
  return sign !== undefined && touching.test(sign) && !spacelessScript.test(sign);
}

interface Found {
  readonly raw: string;
  readonly tex: string;
  readonly display: boolean;
}

/** @param before the character before the `$` */
export function readFormula(src: string, before: string | undefined): Found | undefined {
  if (touches(before)) return undefined;
  for (const { form, display } of inlineForms) {
    const found = form.exec(src);
    if (!found || found[1]!.trim() === '') continue;
    const after = String.fromCodePoint(src.codePointAt(found[0].length) ?? 32);
    if (!display && touches(after)) return undefined;
    return { raw: found[0], tex: found[1]!, display };
  }
  return undefined;
}

interface LexerThis {
  lexer: Lexer;
}

/** How many signs are checked before the text is split anyway, so that a page of dollar signs does not take quadratic time. */
const lookedAt = 32;

/** Where the text must be split for a formula. The character before the text is not known here, but the tokenizer sees it. */
function findFormula(src: string): number | undefined {
  let at = src.slice(0, longestParagraph).indexOf('$');
  for (let looked = 0; at !== -1; looked += 1) {
    if (readFormula(src.slice(at, at + longestFormula), src[at - 1])) return at;
    // A run of signs can open a formula only at its start.
    while (src[at] === '$') at += 1;
    if (looked === lookedAt) return at;
    at = src.indexOf('$', at);
  }
  return undefined;
}

/** @param expected whether the text contains `$`. Most texts do not, and then nothing is searched */
export function formulaInText(expected: () => boolean): TokenizerExtension {
  return {
    name: 'formula',
    level: 'inline',
    start: src => (expected() ? findFormula(src) : undefined),
    tokenizer(this: LexerThis, src, tokens) {
      if (!src.startsWith('$')) return undefined;
      const found = readFormula(src, lastSignOf(tokens));
      return found && { type: 'formula', ...found };
    },
  };
}

const blockForm = /^ {0,3}\$\$(?!\$)((?:(?!\n[ \t]*(?:\n|$))(?:\\[^\n]|\$(?!\$)|[^\\$]|\\(?=\n))){1,20000}?)\$\$[ \t]*(?:\n+|$)/;

/** Splits only where there really is a formula: a paragraph split at each line would be searched again from each line. */
function findBlock(paragraph: string): number | undefined {
  let looked = 0;
  for (const { 0: ending, index } of paragraph.matchAll(/\n(?:[ \t]*\n| {0,3}\$\$)/g)) {
    if (!ending.endsWith('$') || looked === lookedAt) return undefined;
    if (readBlock(paragraph.slice(index + 1, index + 1 + longestFormula))) return index + 1;
    looked += 1;
  }
  return undefined;
}

function readBlock(src: string): { raw: string; tex: string } | undefined {
  const found = blockForm.exec(src);
  return found && found[1]!.trim() !== '' ? { raw: found[0], tex: found[1]! } : undefined;
}

/** `$$` on its own lines. The text between is not read as Markdown. A blank line ends a paragraph, so one in between makes it no formula. */
export function formulaInBlock(expected: () => boolean): TokenizerExtension {
  return {
    name: 'formulaBlock',
    level: 'block',
    start: src => (expected() ? findBlock(src.slice(0, longestParagraph)) : undefined),
    tokenizer: src => {
      const found = readBlock(src);
      return found && { type: 'formulaBlock', ...found };
    },
  };
}

/** Hides the inside of formulas from the search for emphasis. The mask is as long as the text. */
export function maskFormulas(masked: string): string {
  if (!masked.includes('$')) return masked;
  let made = '';
  for (let at = 0; at < masked.length; ) {
    const sign = masked.indexOf('$', at);
    if (sign === -1) return made + masked.slice(at);
    const found = readFormula(masked.slice(sign, sign + longestFormula), masked[sign - 1]);
    const end = sign + (found?.raw.length ?? 1);
    made += masked.slice(at, sign) + '+'.repeat(end - sign);
    at = end;
  }
  return made;
}
