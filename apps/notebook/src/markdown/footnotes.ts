import type { Lexer, Token, TokenizerExtension } from 'marked';

/** A footnote as written in the text. */
export interface WrittenNote {
  readonly label: string;
  readonly tokens: Token[];
  /** The content as written, without the indentation. */
  readonly content: string;
}

interface Definition extends WrittenNote {
  /** Numbered by first reference. 0 while there is no reference. */
  number: number;
  references: number;
}

/** Definitions and references of one text. The first definition of a label wins, as with link definitions. */
export class FootnoteBook {
  /** Whether the text may have definitions. Most have none, and then nothing is searched. */
  expected = false;
  /** All definitions read, in order. The first of a label counts. */
  readonly written: WrittenNote[] = [];
  readonly #definitions = new Map<string, Definition>();
  readonly #numbered: Definition[] = [];

  define(note: WrittenNote): void {
    this.written.push(note);
    const key = fold(note.label);
    if (!this.#definitions.has(key)) this.#definitions.set(key, { ...note, number: 0, references: 0 });
  }

  /** Replaces all definitions by these, in this order. */
  defineAnew(notes: Iterable<WrittenNote>): void {
    this.written.length = 0;
    this.#definitions.clear();
    for (const note of notes) this.define(note);
  }

  isDefined(label: string): boolean {
    return this.#definitions.has(fold(label));
  }

  /** Numbers a reference. Must be called in the order of the output. */
  refer(label: string): { number: number; occurrence: number } | undefined {
    const found = this.#definitions.get(fold(label));
    if (!found) return undefined;
    if (found.number === 0) found.number = this.#numbered.push(found);
    found.references += 1;
    return { number: found.number, occurrence: found.references };
  }

  get labels(): readonly string[] {
    return [...this.#definitions.keys()];
  }

  /** Grows while it is iterated, because a note may refer to further notes. */
  get numbered(): readonly Readonly<Definition>[] {
    return this.#numbered;
  }
}

function fold(label: string): string {
  return label.trim().toLowerCase().toUpperCase();
}

const books = new WeakMap<object, FootnoteBook>();

export function footnotesOf(lexer: object): FootnoteBook {
  let book = books.get(lexer);
  if (!book) {
    book = new FootnoteBook();
    books.set(lexer, book);
  }
  return book;
}

const definitionStart = /^ {0,3}\[\^([^\]\s[]{1,200})\]:[ \t]*/;
/** Lines that cannot continue a note's paragraph without indentation. */
const blockStart =
  /^ {0,3}(?:\[\^[^\]\s[]{1,200}\]:|#{1,6}(?:\s|$)|>|```|~~~|[-*+][ \t]|\d{1,9}[.)][ \t]|<[a-z/!?]|(?:[-*_][ \t]*){3,}$)/i;

/** Takes the lines of a note: the first, indented ones, and those that continue its paragraph. */
function takeDefinition(src: string, contentStart: number): { raw: string; content: string } {
  let end = lineEnd(src, contentStart);
  const lines = [src.slice(contentStart, end).replace(/\n$/, '')];
  let blank: string[] = [];
  for (let at = end; at < src.length; ) {
    const next = lineEnd(src, at);
    const line = src.slice(at, next).replace(/\n$/, '');
    at = next;
    if (line.trim() === '') blank.push('');
    else {
      const indented = /^(?: {4}| {0,3}\t)/.exec(line);
      if (!indented && (blank.length > 0 || blockStart.test(line))) break;
      lines.push(...blank, indented ? line.slice(indented[0].length) : line);
      blank = [];
      end = next;
    }
  }
  return { raw: src.slice(0, end), content: lines.join('\n') };
}

function lineEnd(src: string, from: number): number {
  const found = src.indexOf('\n', from);
  return found === -1 ? src.length : found + 1;
}

const longestParagraph = 65_536;

interface LexerThis {
  lexer: Lexer;
}

export const footnoteDefinition: TokenizerExtension = {
  name: 'footnoteDefinition',
  level: 'block',
  /** A definition ends a paragraph. Only the paragraph's own lines are searched, because long texts would take quadratic time. */
  start(this: LexerThis, src) {
    if (!footnotesOf(this.lexer).expected) return undefined;
    const paragraph = src.slice(0, longestParagraph);
    const blank = paragraph.indexOf('\n\n');
    const found = (blank === -1 ? paragraph : paragraph.slice(0, blank)).search(/\n {0,3}\[\^[^\]\s[]{1,200}\]:/);
    return found === -1 ? undefined : found + 1;
  },
  tokenizer(this: LexerThis, src) {
    const opening = definitionStart.exec(src);
    if (!opening) return undefined;
    const { raw, content } = takeDefinition(src, opening[0].length);
    const tokens = this.lexer.blockTokens(content, []);
    footnotesOf(this.lexer).define({ label: opening[1]!, tokens, content });
    return { type: 'footnoteDefinition', raw, tokens };
  },
};

/** A reference without a definition stays text. So does one inside a link, because it would nest links. */
export const footnoteReference: TokenizerExtension = {
  name: 'footnoteReference',
  level: 'inline',
  tokenizer(this: LexerThis, src) {
    if (!src.startsWith('[^') || this.lexer.state.inLink) return undefined;
    const found = /^\[\^([^\]\s[]{1,200})\]/.exec(src);
    if (!found || !footnotesOf(this.lexer).isDefined(found[1]!)) return undefined;
    return { type: 'footnoteReference', raw: found[0], label: found[1] };
  },
};
