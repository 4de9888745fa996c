import type { Lexer, Token, TokenizerExtension } from 'marked';

/**
 * `==marked words==`, as in note apps. The signs open before a character that is not a space and close after one. Neither may touch a
 * word on its outside, so that `a==b` stays a comparison. Chinese, Japanese and Korean words need no space around them.
 */
const touching = /[\p{L}\p{N}_=]/u;
const spacelessScript = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}]/u;

const longestMarked = 2_000;
/** Signs that may close the mark, and code and escaped characters, which are skipped. */
const stops = /(`+)|\\[\s\S]|(?<![\s=])==(?!=)/g;

function touchesWord(sign: string | undefined): boolean {
  return sign !== undefined && touching.test(sign) && !spacelessScript.test(sign);
}

/** @returns where the closing signs begin, or -1 */
function findMarkEnd(src: string): number {
  const text = src.slice(0, longestMarked);
  stops.lastIndex = 2;
  for (let found = stops.exec(text); found; found = stops.exec(text)) {
    const [sign, ticks] = found;
    if (sign === '==') {
      if (!touchesWord(String.fromCodePoint(src.codePointAt(found.index + 2) ?? 32))) return found.index;
    } else if (ticks !== undefined) {
      const end = endOfSpan(text, stops.lastIndex, ticks.length);
      if (end !== -1) stops.lastIndex = end;
    }
  }
  return -1;
}

function endOfSpan(text: string, from: number, ticks: number): number {
  const runs = /`+/g;
  runs.lastIndex = from;
  for (let run = runs.exec(text); run; run = runs.exec(text)) if (run[0].length === ticks) return runs.lastIndex;
  return -1;
}

/** How far text without Markdown characters is searched at once. */
const searchedChars = 4_096;
const nextSign = /(?<!=)==(?![\s=])|[\\<![`*~]|(?<=\W)_/;

/** Where the text must be split for a mark. Only what the engine would take as one piece is searched, so each character is read once. */
function findMark(src: string): number | undefined {
  const found = nextSign.exec(src.slice(0, searchedChars));
  if (found) return found[0] === '==' ? found.index : undefined;
  return src.length > searchedChars ? searchedChars - 2 : undefined;
}

interface LexerThis {
  lexer: Lexer;
}

/** The last code point, because half a surrogate pair is no letter. */
export function lastSignOf(tokens: readonly Token[]): string | undefined {
  const raw = tokens.at(-1)?.raw;
  return raw ? [...raw.slice(-2)].at(-1) : undefined;
}

/** How many characters of one text are searched for the end of marks: far beyond what people write. */
const searchBudget = 8_000_000;

/** @param expected whether the text contains `==`. Most texts do not, and then nothing is searched */
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
