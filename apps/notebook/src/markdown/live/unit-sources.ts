import type { Token, Tokens } from 'marked';
import { countLines } from '../source-lines.ts';
import { BlockReader } from './block-reader.ts';

/** Some blocks that become one unit. */
export interface UnitSource {
  readonly key: string;
  readonly tokens: readonly Token[];
  readonly lines: number;
  /** What it may hang on besides its key: the definitions of the text; 0 when it cannot. */
  readonly definitions: number;
}

/** What is the same from one reading to the next. */
export class KnownSources {
  readonly reader = new BlockReader();
  readonly #sources = new WeakMap<Token, KnownSource>();

  /** The same blocks give the same source object, so that comparing costs nothing. */
  sourceOf(tokens: readonly Token[]): KnownSource {
    const last = tokens.at(-1)!;
    const known = this.#sources.get(last);
    if (known?.tokens.length === tokens.length && known.tokens.every((token, at) => token === tokens[at])) return known;
    const raw = tokens.map(token => token.raw).join('');
    const source = { key: `${tokens.map(kindOf).join()}\n${raw}`, tokens, lines: countLines(raw), bracket: raw.includes('[') };
    this.#sources.set(last, source);
    return source;
  }
}

interface KnownSource extends Omit<UnitSource, 'definitions'> {
  /** Whether it can hang on definitions. */
  readonly bracket: boolean;
}

/** What of a token its raw text does not tell. */
export function kindOf(token: Token): string {
  if (token.type !== 'list') return token.type;
  const { start, loose } = token as Tokens.List;
  return `list ${start} ${loose}`;
}
