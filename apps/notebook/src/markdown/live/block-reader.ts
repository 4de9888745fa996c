import type { Links, Token } from 'marked';
import type { TextEngine } from '../engine.ts';
import { type Block, endsAtBorder } from './block.ts';
import { commonEnds } from './common-ends.ts';
import { WindowReading } from './window-reading.ts';

/** Inline text still to be read into its token list, after the tokens already there (a task's checkbox). */
export interface Run {
  readonly source: string;
  readonly given: number;
}

/** The range that differs between the previous and the current text. */
interface Change {
  /** Where the change begins, in both texts. */
  readonly at: number;
  /** Where the unchanged rest begins in the current text. */
  readonly behind: number;
  /** By how much the unchanged rest has moved. */
  readonly shift: number;
}

/** How many blocks after the change are read with it at first, so that the next few keys can start from known blocks. */
const firstAhead = 4;
const aheadGrowth = 8;

/**
 * Reads a text into blocks. After a change it reads only those around it: from the last border whose line is before the change to
 * the first position after it that was a border before.
 */
export class BlockReader {
  /** The inline texts of all blocks read so far. */
  readonly runs = new WeakMap<Token[], Run>();
  #source = '';
  #features = '';
  #blocks: readonly Block[] = [];

  /** Reads with `engine`, and gives it all definitions of the text. */
  read(source: string, engine: TextEngine): readonly Block[] {
    // How paragraphs are split depends on what the engine's extensions look for.
    const features = `${source.includes('$')} ${engine.book.expected}`;
    const blocks = this.#readAround(source, engine, features === this.#features ? this.#blocks : []);
    this.#source = source;
    this.#features = features;
    this.#blocks = blocks;
    setDefinitions(blocks, engine);
    return blocks;
  }

  #readAround(source: string, engine: TextEngine, known: readonly Block[]): readonly Block[] {
    const { head, tail } = commonEnds(this.#source, source);
    const change = { at: head, behind: source.length - tail, shift: source.length - this.#source.length };
    const kept = lastBorder(this.#source, known, change.at);
    const from = known[kept]?.start ?? 0;
    const next = known.findIndex(block => block.start + change.shift > change.behind);
    for (let ahead = firstAhead; next !== -1 && next + ahead < known.length; ahead *= aheadGrowth) {
      const to = known[next + ahead]!.start + change.shift;
      // Copied, because a slice keeps the whole text in memory.
      const text = copyOf(source.slice(from, to));
      const reading = new WindowReading(engine, { text, from, to, last: false }, isKnown(known, change));
      if (reading.certain) return this.#join(known, kept, reading, engine, change);
    }
    const window = { text: source.slice(from), from, to: source.length, last: true };
    return this.#join(known, kept, new WindowReading(engine, window, isKnown(known, change)), engine, change);
  }

  #join(
    known: readonly Block[],
    kept: number,
    { blocks, rest }: WindowReading,
    { lexer }: TextEngine,
    { shift }: Change,
  ): Block[] {
    for (const { src, tokens } of lexer.inlineQueue) this.runs.set(tokens, { source: src, given: tokens.length });
    const behind = rest === undefined ? [] : known.slice(placeOf(known, rest - shift));
    const moved = shift === 0 ? behind : behind.map(block => ({ ...block, start: block.start + shift }));
    return [...known.slice(0, kept), ...blocks, ...moved];
  }
}

function isKnown(known: readonly Block[], { behind, shift }: Change): (start: number) => boolean {
  return start => {
    const place = start > behind ? placeOf(known, start - shift) : -1;
    return place > 0 && endsAtBorder(known[place - 1]!.token);
  };
}

/** How many blocks depend only on text before the change. */
function lastBorder(source: string, blocks: readonly Block[], change: number): number {
  let last = 0;
  for (const [at, { start, lookahead }] of blocks.entries()) {
    if (start >= change) break;
    // The line at the border must be complete.
    const lineEnd = at > 0 && endsAtBorder(blocks[at - 1]!.token) ? source.indexOf('\n', start) : -1;
    if (lineEnd !== -1 && lineEnd < change) last = at;
    if (start + lookahead > change) break;
  }
  return last;
}

/** @returns the index of the block that begins there, or -1 */
function placeOf(blocks: readonly Block[], start: number): number {
  let [low, high] = [0, blocks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (blocks[middle]!.start < start) low = middle + 1;
    else high = middle;
  }
  return blocks[low]?.start === start ? low : -1;
}

/** Gives the engine all definitions. The first of a label counts. */
function setDefinitions(blocks: readonly Block[], { lexer, book }: TextEngine): void {
  const defining = blocks.flatMap(({ defines }) => defines ?? []);
  const links = Object.create(null) as Links;
  for (const { links: own } of defining) for (const [label, link] of Object.entries(own)) links[label] ??= link;
  lexer.tokens.links = links;
  book.defineAnew(defining.flatMap(({ notes }) => notes));
}

function copyOf(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}
