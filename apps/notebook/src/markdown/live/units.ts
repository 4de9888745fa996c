import { Parser, type Token, type Tokens } from 'marked';
import { engineOf, type TextEngine } from '../engine.ts';
import type { Formula } from '../math/formula.ts';
import { rawTextSign } from '../notes-renderer.ts';
import { placeBlocks } from '../source-lines.ts';
import { hasRightToLeft } from '../steps/directions.ts';
import type { Block } from './block.ts';
import type { BlockReader } from './block-reader.ts';
import { type Call, PageLedger, Recorder, replay } from './ledger.ts';
import { type KnownSources, kindOf, type UnitSource } from './unit-sources.ts';

/** The smallest part of a page that is made by itself: one block with the blank lines and definitions before it, or one note. */
export interface Unit {
  /** With `definitions`, all that its HTML hangs on besides the answers of the ledger. */
  readonly key: string;
  readonly definitions: number;
  /** Not safe yet. Line marks count from the unit's first line. */
  readonly unsafe: string;
  readonly sawHtml: boolean;
  readonly lines: number;
  /** At least as many elements. */
  readonly tags: number;
  readonly references: readonly Call[];
  readonly formulas: readonly Formula[];
  /** Has right-to-left text. */
  readonly mirrored: boolean;
}

/** Thrown where parts of a text cannot be made one by one: a tag left open that changes how all that follows is read. */
export class NotByParts extends Error {}

/** One reading of a text: its blocks known, nothing made of them yet. */
export class Reading {
  readonly engine: TextEngine;
  readonly ledger: PageLedger;
  readonly #blocks: readonly Block[];
  readonly #known: KnownSources;
  readonly #definitions: number;
  #recorder: Recorder | undefined;

  constructor(source: string, idPrefix: string, known: KnownSources) {
    this.engine = engineOf(source, label => this.#recorder?.refer(label));
    const { lexer, book } = this.engine;
    this.#known = known;
    this.#blocks = known.reader.read(source, this.engine);
    this.#definitions = numberOf(JSON.stringify([Object.entries(lexer.tokens.links), book.labels]));
    this.ledger = new PageLedger(idPrefix, book);
    // An open link changes how what follows is read, and a note that nobody refers to is not looked at here.
    if (book.labels.length > 0 && /<a[\s>]/i.test(source)) throw new NotByParts();
  }

  /** Blank lines and definitions show nothing; they go with the block that follows. */
  *units(): Iterable<UnitSource> {
    let tokens: Token[] = [];
    for (const { token } of this.#blocks) {
      tokens.push(token);
      if (silent.has(token.type)) continue;
      yield this.#sourceOf(tokens);
      tokens = [];
    }
    if (tokens.length > 0) yield this.#sourceOf(tokens);
  }

  noteSource(note: { readonly tokens: readonly Token[]; readonly content: string }): UnitSource {
    // The same content is read in another way inside of a list.
    const key = `${kindsWithin(note.tokens)}\n${note.content}`;
    return { key, tokens: note.tokens, lines: 0, definitions: this.#definitionsFor(note.content) };
  }

  #sourceOf(tokens: readonly Token[]): UnitSource {
    const known = this.#known.sourceOf(tokens);
    return { ...known, definitions: known.bracket ? this.#definitions : 0 };
  }

  /** Only what has a bracket can hang on the definitions. */
  #definitionsFor(raw: string): number {
    return raw.includes('[') ? this.#definitions : 0;
  }

  /** The unit of this source, made only when `known` is not it any more. */
  unit(source: UnitSource, known: Unit | undefined, placed: boolean): Unit {
    const { key, tokens, lines, definitions } = source;
    const same = known && sameSource(source, known) ? known : undefined;
    const answered = same ? replay(this.ledger, same.references) : [];
    if (same && !answered) return same;
    const { lexer, options, renderer } = this.engine;
    const { runs } = this.#known.reader;
    lexInline(lexer, tokens, runs);
    if (lexer.state.inLink) throw new NotByParts();
    placeBlocks(tokens, placed ? 1 : undefined);
    const recorder = new Recorder(this.ledger, answered);
    this.#recorder = recorder;
    renderer.sawHtml = false;
    renderer.formulas.length = 0;
    const unsafe = Parser.parse([...tokens], options);
    dropInline(tokens, runs);
    if (unsafe.includes(rawTextSign)) throw new NotByParts();
    return {
      key,
      definitions,
      unsafe,
      sawHtml: renderer.sawHtml,
      lines,
      tags: unsafe.split('<').length,
      references: recorder.calls,
      formulas: [...renderer.formulas],
      mirrored: hasRightToLeft(unsafe),
    };
  }
}

export function sameSource(source: UnitSource, unit: Unit): boolean {
  return source.key === unit.key && source.definitions === unit.definitions;
}

let latest = '';
let changes = 0;

/** A number for the definitions of now, another one after each change: the definitions themselves would make every key long. */
function numberOf(definitions: string): number {
  if (definitions !== latest) changes += 1;
  latest = definitions;
  return changes;
}

type Runs = BlockReader['runs'];

const silent = new Set(['space', 'def', 'footnoteDefinition']);

function kindsWithin(tokens: readonly Token[]): string {
  return tokens
    .map(token => {
      const { tokens: inside = [], items = [] } = token as Partial<Tokens.Generic>;
      return `${kindOf(token)}(${kindsWithin([...inside, ...items])})`;
    })
    .join();
}

/** A note's own tokens are read when the note is made. */
function* runsIn(tokens: readonly Token[]): Iterable<Token[]> {
  for (const token of tokens) {
    if (token.type === 'footnoteDefinition') continue;
    const { tokens: inside, items, header, rows } = token as Partial<Tokens.Generic & Tokens.Table>;
    if (inside) {
      yield inside;
      yield* runsIn(inside);
    }
    if (items) yield* runsIn(items);
    for (const cell of [header ?? [], ...(rows ?? [])].flat()) yield cell.tokens;
  }
}

function lexInline(lexer: TextEngine['lexer'], tokens: readonly Token[], runs: Runs): void {
  for (const run of [...runsIn(tokens)]) {
    const { source, given } = runs.get(run) ?? {};
    if (source === undefined) continue;
    run.length = given!;
    lexer.state.inRawBlock = false;
    lexer.inlineTokens(source, run);
  }
}

/** What was made is kept as HTML; its tokens would only take memory. */
function dropInline(tokens: readonly Token[], runs: Runs): void {
  for (const run of [...runsIn(tokens)]) run.length = runs.get(run)?.given ?? run.length;
}
