import type { Links, Token } from 'marked';
import type { TextEngine } from '../engine.ts';
import { type Block, endsAtBorder } from './block.ts';
import { reachOf } from './reach.ts';

/** A part of a text, from a border on. */
export interface Window {
  readonly text: string;
  /** Where it begins and ends in the whole text. */
  readonly from: number;
  readonly to: number;
  /** Whether nothing follows it. */
  readonly last: boolean;
}

/** Reads a window with marked's block lexer. It stops at the first border that `isKnown`: from there on all is as it was. */
export class WindowReading {
  readonly blocks: readonly Block[];
  /** Where the known begins; undefined when the window was read to its end. */
  readonly rest: number | undefined;
  readonly #engine: TextEngine;
  readonly #window: Window;
  readonly #made: Omit<Block, 'reach'>[] = [];
  #begun: number;
  #rest: number | undefined;

  constructor(engine: TextEngine, window: Window, isKnown: (start: number) => boolean) {
    this.#engine = engine;
    this.#window = window;
    this.#begun = window.from;
    this.#read(isKnown);
    this.rest = this.#rest;
    // Only now, because a step may lengthen the block before.
    const { text, from } = window;
    this.blocks = this.#made.map(block => ({ ...block, reach: reachOf(block.token, text.slice(block.start - from)) }));
  }

  /** Whether no text behind the window could change what was found in it. */
  get certain(): boolean {
    const { last, to } = this.#window;
    return last || (this.rest !== undefined && this.blocks.every(({ start, reach }) => start + reach <= to));
  }

  #read(isKnown: (start: number) => boolean): void {
    const { lexer, options, book } = this.#engine;
    lexer.tokens.length = 0;
    lexer.inlineQueue.length = 0;
    book.written.length = 0;
    // Asked before each block, so it sees where every one begins, and can take all that follows for itself.
    const watch = (src: string, tokens: Token[]): Token | undefined => {
      if (tokens !== lexer.tokens) return undefined;
      const start = this.#window.to - src.length;
      this.#end();
      // The line at the border must be whole.
      const border = endsAtBorder(tokens.at(-1)) && (this.#window.last || src.includes('\n'));
      if (border && isKnown(start)) {
        this.#rest = start;
        return { type: 'rest', raw: src };
      }
      this.#begun = start;
      return undefined;
    };
    const extensions = options.extensions!.block!;
    extensions.unshift(watch);
    lexer.blockTokens(this.#window.text, lexer.tokens);
    extensions.shift();
    if (this.#rest === undefined) this.#end();
  }

  /** Notes the block that was read last, unless the last step only lengthened the one before. */
  #end(): void {
    const { lexer, book } = this.#engine;
    const token = lexer.tokens[this.#made.length];
    if (!token) return;
    const { links } = lexer.tokens;
    const notes = book.written.splice(0);
    const defines = notes.length > 0 || Object.keys(links).length > 0;
    this.#made.push({ token, start: this.#begun, ...(defines ? { defines: { links, notes } } : {}) });
    if (defines) lexer.tokens.links = Object.create(null) as Links;
  }
}
