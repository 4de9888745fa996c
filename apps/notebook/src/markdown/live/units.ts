import { Parser, type Token, type Tokens } from 'marked';
import { engineOf, type TextEngine } from '../engine.ts';
import type { Formula } from '../math/formula.ts';
import { rawTextSign } from '../notes-renderer.ts';
import { countLines, placeBlocks } from '../source-lines.ts';
import { hasRightToLeft } from '../steps/directions.ts';
import { type Call, PageLedger, Recorder, replay } from './ledger.ts';

/** The smallest part of a page that is made by itself: one block with the blank lines and definitions before it, or one note. */
export interface Unit {
  /** All that its HTML hangs on besides the answers of the ledger. */
  readonly key: string;
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

export interface UnitSource {
  readonly key: string;
  readonly tokens: readonly Token[];
  readonly lines: number;
}

/** Thrown where parts of a text cannot be made one by one: a tag left open that changes how all that follows is read. */
export class NotByParts extends Error {}

/** One reading of a text: its blocks known, nothing made of them yet. */
export class Reading {
  readonly engine: TextEngine;
  readonly ledger: PageLedger;
  readonly #inline: ReadonlyMap<Token[], string>;
  readonly #definitions: number;
  #recorder: Recorder | undefined;

  constructor(source: string, idPrefix: string) {
    this.engine = engineOf(source, label => this.#recorder?.refer(label));
    const { lexer, book } = this.engine;
    lexer.blockTokens(source, lexer.tokens);
    this.#inline = new Map(lexer.inlineQueue.map(({ src, tokens }) => [tokens, src]));
    this.#definitions = numberOf(JSON.stringify([Object.entries(lexer.tokens.links), book.labels]));
    this.ledger = new PageLedger(idPrefix, book);
    // An open link changes how what follows is read, and a note that nobody refers to is not looked at here.
    if (book.labels.length > 0 && /<a[\s>]/i.test(source)) throw new NotByParts();
  }

  /** Blank lines and definitions show nothing; they go with the block that follows. */
  *units(): Iterable<UnitSource> {
    let tokens: Token[] = [];
    for (const token of this.engine.lexer.tokens) {
      tokens.push(token);
      if (silent.has(token.type)) continue;
      yield this.#sourceOf(tokens);
      tokens = [];
    }
    if (tokens.length > 0) yield this.#sourceOf(tokens);
  }

  noteSource(note: { readonly tokens: readonly Token[]; readonly content: string }): UnitSource {
    // The same content is read in another way inside of a list.
    return { key: this.#keyOf(note.content, kindsWithin(note.tokens)), tokens: note.tokens, lines: 0 };
  }

  #sourceOf(tokens: readonly Token[]): UnitSource {
    const raw = tokens.map(token => token.raw).join('');
    return { key: this.#keyOf(raw, tokens.map(kindOf).join()), tokens, lines: countLines(raw) };
  }

  /** Only what has a bracket can hang on the definitions. */
  #keyOf(raw: string, kinds: string): string {
    return raw.includes('[') ? `${kinds}\n${raw}\0${this.#definitions}` : `${kinds}\n${raw}`;
  }

  /** The unit of this source, made only when `known` is not it any more. */
  unit({ key, tokens, lines }: UnitSource, known: Unit | undefined, placed: boolean): Unit {
    const same = known?.key === key ? known : undefined;
    const answered = same ? replay(this.ledger, same.references) : [];
    if (same && !answered) return same;
    const { lexer, options, renderer } = this.engine;
    lexInline(lexer, tokens, this.#inline);
    if (lexer.state.inLink) throw new NotByParts();
    if (placed) placeBlocks(tokens, 1);
    const recorder = new Recorder(this.ledger, answered);
    this.#recorder = recorder;
    renderer.sawHtml = false;
    renderer.formulas.length = 0;
    const unsafe = Parser.parse([...tokens], options);
    if (unsafe.includes(rawTextSign)) throw new NotByParts();
    return {
      key,
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

let latest = '';
let changes = 0;

/** A number for the definitions of now, another one after each change: the definitions themselves would make every key long. */
function numberOf(definitions: string): number {
  if (definitions !== latest) changes += 1;
  latest = definitions;
  return changes;
}

const silent = new Set(['space', 'def', 'footnoteDefinition']);

/** What of a token its raw text does not tell. */
function kindOf(token: Token): string {
  if (token.type !== 'list') return token.type;
  const { start, loose } = token as Tokens.List;
  return `list ${start} ${loose}`;
}

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

function lexInline(lexer: TextEngine['lexer'], tokens: readonly Token[], queue: ReadonlyMap<Token[], string>): void {
  for (const run of [...runsIn(tokens)]) {
    const source = queue.get(run);
    if (source === undefined) continue;
    lexer.state.inRawBlock = false;
    lexer.inlineTokens(source, run);
  }
}
