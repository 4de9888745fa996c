import type { Links, Token } from 'marked';
import type { TextEngine } from '../engine.ts';
import { type Block, endsAtBorder } from './block.ts';
import { lookaheadOf } from './lookahead.ts';

/** A part of a text that starts at a border. */
export interface Window {
  readonly text: string;
  /** The window's start and end in the whole text. */
  readonly from: number;
  readonly to: number;
  /** Whether nothing follows it. */
  readonly last: boolean;
}

/** Reads a window with marked's block lexer. It stops at the first border that `isKnown`; from there on all blocks are unchanged. */
export class WindowReading {
  readonly blocks: readonly Block[];
  /** Where the known blocks begin. Undefined when the window was read to its end. */
  readonly rest: number | undefined;
  readonly #engine: TextEngine;
  readonly #window: Window;
  readonly #made: Omit<Block, 'lookahead'>[] = [];
  #begun: number;
  #rest: number | undefined;

  constructor(engine: TextEngine, window: Window, isKnown: (start: number) => boolean) {
    this.#engine = engine;
    this.#window = window;
    this.#begun = window.from;
    this.#read(isKnown);
    this.rest = this.#rest;
    // Computed at the end, because a step may lengthen the previous block.
    const { text, from } = window;
    this.blocks = this.#made.map(block => ({ ...block, lookahead: lookaheadOf(block.token, text.slice(block.start - from)) }));
  }

  /** Whether no text after the window could change the blocks in it. */
  get certain(): boolean {
    const { last, to } = this.#window;
    return last || (this.rest !== undefined && this.blocks.every(({ start, lookahead }) => start + lookahead <= to));
  }

  #read(isKnown: (start: number) => boolean): void {
    const { lexer, options, book } = this.#engine;
    lexer.tokens.length = 0;
    lexer.inlineQueue.length = 0;
    book.written.length = 0;
    // Called before each block, so it sees where every block begins, and can consume the rest.
    const watch = (src: string, tokens: Token[]): Token | undefined => {
      if (tokens !== lexer.tokens) return undefined;
      const start = this.#window.to - src.length;
      this.#end();
      // The line at the border must be complete.
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

  /** Records the block read last, unless the last step only lengthened the one before. */
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
