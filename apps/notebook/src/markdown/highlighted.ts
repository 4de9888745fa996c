import type { Lexer, Token, TokenizerExtension } from 'marked';

/**
 * `==marked words==`, as note programs write it. The signs open before something that is no space and close after something that is
 * none; neither may touch a word, so that `a==b` stays a comparison. Chinese, Japanese and Korean words need no space around them.
 */
const touching = /[\p{L}\p{N}_=]/u;
const spacelessScript = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}]/u;

const longestMarked = 2_000;
/** Signs that may end the words, and what must be stepped over: code, escaped signs. A blank line ends the search. */
const stops = /(`+)|\\[\s\S]|(?<![\s=])==(?!=)|\n[ \t]*\n/g;

export function touchesWord(sign: string | undefined): boolean {
  return sign !== undefined && touching.test(sign) && !spacelessScript.test(sign);
}

/** @returns where the closing signs begin; -1: there are none */
export function findMarkEnd(src: string): number {
  const text = src.slice(0, longestMarked);
  stops.lastIndex = 2;
  for (let found = stops.exec(text); found; found = stops.exec(text)) {
    const [sign, ticks] = found;
    if (sign === '==') {
      if (found.index > 2 && !touchesWord(String.fromCodePoint(src.codePointAt(found.index + 2) ?? 32))) return found.index;
    } else if (ticks !== undefined) {
      const end = endOfSpan(text, stops.lastIndex, ticks.length);
      if (end !== -1) stops.lastIndex = end;
    } else if (sign.startsWith('\n')) return -1;
  }
  return -1;
}

function endOfSpan(text: string, from: number, ticks: number): number {
  const runs = /`+/g;
  runs.lastIndex = from;
  for (let run = runs.exec(text); run; run = runs.exec(text)) if (run[0].length === ticks) return runs.lastIndex;
  return -1;
}

/** As far as text without a sign of Markdown is looked through at once. */
const searchedChars = 4_096;
const nextSign = /(?<!=)==(?![\s=])|[\\<![`*~]|(?<=\W)_/;

/** Where the text must be cut for a mark: only what the engine would take as one piece is searched, so each sign is looked at once. */
function findMark(src: string): number | undefined {
  const found = nextSign.exec(src.slice(0, searchedChars));
  if (found) return found[0] === '==' ? found.index : undefined;
  return src.length > searchedChars ? searchedChars - 2 : undefined;
}

interface LexerThis {
  lexer: Lexer;
}

/** By code point: half a letter is no letter. */
export function lastSignOf(tokens: readonly Token[]): string | undefined {
  const raw = tokens.at(-1)?.raw;
  return raw ? [...raw.slice(-2)].at(-1) : undefined;
}

/** Signs that are looked at in one text for the end of a mark; far beyond what people write. */
const searchBudget = 8_000_000;

/** @param expected whether the text has a `==` at all: most have none, and then nothing is searched */
export function highlighted(expected: () => boolean): TokenizerExtension {
  let left = searchBudget;
  return {
    name: 'highlighted',
    level: 'inline',
    start: src => (expected() ? findMark(src) : undefined),
    tokenizer(this: LexerThis, src, tokens) {
      if (left <= 0 || !/^==[^\s=]/.test(src) || touchesWord(lastSignOf(tokens))) return undefined;
      const end = findMarkEnd(src);
      left -= end === -1 ? Math.min(src.length, longestMarked) : end;
      if (end === -1) return undefined;
      return { type: 'highlighted', raw: src.slice(0, end + 2), tokens: this.lexer.inlineTokens(src.slice(2, end)) };
    },
    childTokens: ['tokens'],
  } as TokenizerExtension;
}
