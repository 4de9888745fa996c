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

/** The smallest part that is rendered separately: a block with the blank lines and definitions before it, or a footnote. */
export interface Unit {
  /** Together with `definitions`, everything its HTML depends on besides the ledger's answers. */
  readonly key: string;
  readonly definitions: number;
  /** HTML that is not safe yet. Line marks count from the unit's first line. */
  readonly unsafe: string;
  readonly sawHtml: boolean;
  readonly lines: number;
  /** An upper bound for the number of elements. */
  readonly tags: number;
  readonly references: readonly Call[];
  readonly formulas: readonly Formula[];
  /** True if it has right-to-left text. */
  readonly hasRtlText: boolean;
}

/** Thrown when a text cannot be rendered in parts, for example because an unclosed tag changes how everything after it is parsed. */
export class NeedsFullRendering extends Error {}

/** One reading of a text: its blocks are known, but nothing is rendered yet. */
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
    // An open link changes how the rest is parsed, and notes without references are not checked here.
    if (book.labels.length > 0 && /<a[\s>]/i.test(source)) throw new NeedsFullRendering();
  }

  /** Blank lines and definitions show nothing. They are part of the unit of the block after them. */
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
    // The same content is read differently inside a list.
    const key = `${kindsWithin(note.tokens)}\n${note.content}`;
    return { key, tokens: note.tokens, lines: 0, definitions: this.#definitionsFor(note.content) };
  }

  #sourceOf(tokens: readonly Token[]): UnitSource {
    const known = this.#known.sourceOf(tokens);
    return { ...known, definitions: known.bracket ? this.#definitions : 0 };
  }

  /** Only text with a bracket can depend on definitions. */
  #definitionsFor(raw: string): number {
    return raw.includes('[') ? this.#definitions : 0;
  }

  /** Returns the unit of this source, which is rendered only if `known` no longer fits. */
  unit(source: UnitSource, known: Unit | undefined, placed: boolean): Unit {
    const { key, tokens, lines, definitions } = source;
    const same = known && sameSource(source, known) ? known : undefined;
    const answered = same ? replay(this.ledger, same.references) : [];
    if (same && !answered) return same;
    const { lexer, options, renderer } = this.engine;
    const { runs } = this.#known.reader;
    lexInline(lexer, tokens, runs);
    if (lexer.state.inLink) throw new NeedsFullRendering();
    placeBlocks(tokens, placed ? 1 : undefined);
    const recorder = new Recorder(this.ledger, answered);
    this.#recorder = recorder;
    renderer.sawHtml = false;
    renderer.formulas.length = 0;
    const unsafe = Parser.parse([...tokens], options);
    dropInline(tokens, runs);
    if (unsafe.includes(rawTextSign)) throw new NeedsFullRendering();
    return {
      key,
      definitions,
      unsafe,
      sawHtml: renderer.sawHtml,
      lines,
      tags: unsafe.split('<').length,
      references: recorder.calls,
      formulas: [...renderer.formulas],
      hasRtlText: hasRightToLeft(unsafe),
    };
  }
}

export function sameSource(source: UnitSource, unit: Unit): boolean {
  return source.key === unit.key && source.definitions === unit.definitions;
}

let latest = '';
let changes = 0;

/** Returns a number that changes with the definitions. The definitions themselves would make every key long. */
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

/** Skips the tokens of footnotes, which are read when the footnote is rendered. */
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

/** Drops inline tokens after rendering, because the HTML is kept and they would only use memory. */
function dropInline(tokens: readonly Token[], runs: Runs): void {
  for (const run of [...runsIn(tokens)]) run.length = runs.get(run)?.given ?? run.length;
}
