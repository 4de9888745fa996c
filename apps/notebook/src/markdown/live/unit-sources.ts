import type { Token, Tokens } from 'marked';
import { countLines } from '../source-lines.ts';
import { BlockReader } from './block-reader.ts';

/** The blocks that become one unit. */
export interface UnitSource {
  readonly key: string;
  readonly tokens: readonly Token[];
  readonly lines: number;
  /** The number of the text's definitions, on which the unit may depend besides its key. 0 if it cannot. */
  readonly definitions: number;
}

/** Keeps what stays the same between readings. */
export class KnownSources {
  readonly reader = new BlockReader();
  readonly #sources = new WeakMap<Token, KnownSource>();

  /** Returns the same object for the same blocks, so that comparing is cheap. */
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
  /** Whether it may depend on definitions. */
  readonly bracket: boolean;
}

/** The properties of a token that its raw text does not show. */
export function kindOf(token: Token): string {
  if (token.type !== 'list') return token.type;
  const { start, loose } = token as Tokens.List;
  return `list ${start} ${loose}`;
}
