import { Lexer, Marked, type MarkedOptions, Parser, Tokenizer, type Tokens } from 'marked';
import { type FootnoteBook, footnoteDefinition, footnoteReference, footnotesOf } from './footnotes.ts';
import { highlighted } from './highlighted.ts';
import { chooseMark, type Mark } from './mark.ts';
import type { Formula } from './math/formula.ts';
import { formulaInBlock, formulaInText, maskFormulas } from './math/formula-tokens.ts';
import { normalize } from './normalize.ts';
import { NotesRenderer } from './notes-renderer.ts';
import { settleRawText } from './raw-text.ts';
import { placeBlocks } from './source-lines.ts';

/** The Markdown engine's result: HTML that is not safe yet, with our marks in it. */
export interface UnsafeDocument {
  readonly html: string;
  /** The contents of the footnotes by number. Each is parsed separately, so that none can break out into another. */
  readonly notes: readonly UnsafeNote[];
  /** In the order of the numbers in their marks, from 1. */
  readonly formulas: readonly Formula[];
  readonly mark: Mark;
  readonly sawHtml: boolean;
}

export interface UnsafeNote {
  readonly html: string;
  readonly references: number;
}

/** A line that certainly ends the text of an underlined heading. */
const headingLinesEnd = /\n(?:[ \t]*\n| {0,3}(?:[*+-] |\d{1,9}[.)] |`{3}|~{3}|>|#{1,6}\s))/;
/** Thousands of times what an ordinary page needs, and a fraction of a second. */
const headingSearchChars = 32_000_000;

/** An address in brackets, as in `[see https://example.org/a]`, does not include the last bracket, as with parentheses. */
function withoutBracket(link: Tokens.Link): Tokens.Link {
  const { raw, href } = link;
  if (!raw.endsWith(']')) return link;
  let unmatched = raw.split(']').length - raw.split('[').length;
  if (unmatched <= 0) return link;
  let end = raw.length;
  for (; (unmatched > 0 && raw[end - 1] === ']') || /[?!.,:*_~'"]/.test(raw[end - 1]!); end -= 1)
    if (raw[end - 1] === ']') unmatched -= 1;
  const kept = raw.slice(0, end);
  return { ...link, raw: kept, text: kept, href: href.slice(0, href.length - (raw.length - end)), tokens: [textToken(kept)] };
}

const textToken = (text: string): Tokens.Text => ({ type: 'text', raw: text, text, escaped: false });

/** In `https://`. */
const longestScheme = 8;

/** The sign before a mark. marked gives its last code unit, and half an emoji is no punctuation, so that marks beside it were signs. */
function wholeSign(src: string, masked: string, before: string): string {
  if (!/[\uDC00-\uDFFF]/.test(before)) return before;
  const at = masked.length - src.length;
  return String.fromCodePoint(masked.codePointAt(at - 2) ?? 32);
}

/**
 * Corrects marked in five points. It makes links of addresses within a word (`ahttp://example.org`), where a letter (before `www.` also a
 * digit) is before it. It does not know emoji before a mark. It takes a bracket after an address for a part of it. It departs from
 * CommonMark for text between raw `<code>` tags, which is text to be escaped like any other. And from every line of a list item it searches
 * for a heading's underline up to the item's end, which takes quadratic time. Past a limit this text gets no more underlined headings.
 */
class NotesTokenizer extends Tokenizer {
  #headingSearch = headingSearchChars;

  override lheading(src: string): Tokens.Heading | undefined {
    if (this.#headingSearch <= 0) return undefined;
    const token = super.lheading(src);
    if (token) return token;
    const end = src.search(headingLinesEnd);
    this.#headingSearch -= end === -1 ? src.length : end;
    return undefined;
  }

  override url(src: string): Tokens.Link | undefined {
    const token = super.url(src);
    return token && withoutBracket(token);
  }

  override emStrong(src: string, masked: string, before = ''): Tokens.Em | Tokens.Strong | undefined {
    return super.emStrong(src, masked, wholeSign(src, masked, before));
  }

  override del(src: string, masked: string, before = ''): Tokens.Del | undefined {
    return super.del(src, masked, wholeSign(src, masked, before));
  }

  override inlineText(src: string): Tokens.Text | undefined {
    const token = super.inlineText(src);
    const last = token?.raw.at(-1);
    if (!token || last === undefined || !/[a-z\d]/i.test(last)) return token;
    const next = src.slice(token.raw.length, token.raw.length + longestScheme);
    const [scheme] = (/\d/.test(last) ? /^www(?=\.)/i : /^(?:(?:https?|ftp)(?=:\/\/)|www(?=\.))/i).exec(next) ?? [''];
    return { ...token, raw: token.raw + scheme, text: token.text + scheme };
  }

  override tag(src: string): Tokens.Tag | undefined {
    const token = super.tag(src);
    this.lexer.state.inRawBlock = false;
    return token;
  }
}

/** marked, set up for one text. Each text needs a new one, because its tokenizers and renderers keep state of the text. */
export interface TextEngine {
  readonly lexer: Lexer;
  readonly options: MarkedOptions;
  readonly renderer: NotesRenderer;
  readonly book: FootnoteBook;
  readonly mark: Mark;
}

function optionsFor(renderer: NotesRenderer, refer: FootnoteBook['refer'], source: string, asWritten: boolean): MarkedOptions {
  const marked = new Marked({ gfm: true });
  const hasDollar = source.includes('$');
  const hasHighlights = source.includes('==');
  marked.use({
    extensions: [
      { ...footnoteDefinition, renderer: () => '' },
      {
        ...footnoteReference,
        renderer: token => {
          const reference = refer(token.label as string);
          return reference ? renderer.footnoteReference(reference.number, reference.occurrence) : token.raw;
        },
      },
      { ...formulaInBlock(() => hasDollar), renderer: token => renderer.formulaBlock(token) },
      { ...formulaInText(() => hasDollar), renderer: token => renderer.formula(token) },
      // Not part of CommonMark.
      ...(asWritten ? [] : [{ ...highlighted(() => hasHighlights), renderer: renderHighlighted }]),
    ],
    ...(hasDollar ? { hooks: { emStrongMask: maskFormulas } } : {}),
  });
  return { ...marked.defaults, tokenizer: new NotesTokenizer(), renderer };
}

function renderHighlighted(this: { parser: Parser }, token: Tokens.Generic): string {
  return `<mark>${this.parser.parseInline(token.tokens ?? [])}</mark>`;
}

/** @param refer gives the number of each footnote reference instead of the text's own book */
export function engineOf(source: string, refer?: FootnoteBook['refer'], asWritten = false): TextEngine {
  const mark = chooseMark(source);
  const renderer = new NotesRenderer(mark, asWritten);
  const options = optionsFor(renderer, label => (refer ? refer(label) : book.refer(label)), source, asWritten);
  const lexer = new Lexer(options);
  const book = footnotesOf(lexer);
  book.expected = /\[\^[^\]\s[]{1,200}\]:/.test(source);
  return { lexer, options, renderer, book, mark };
}

/** @param asWritten see `NotesRenderer` */
export function toUnsafeDocument(source: string, sourceLines: boolean, asWritten = false): UnsafeDocument {
  const { lexer, options, renderer, book, mark } = engineOf(source, undefined, asWritten);
  const tokens = lexer.lex(source);
  if (sourceLines) placeBlocks(tokens, 1);
  const html = settleRawText(Parser.parse(tokens, options));
  const notes: string[] = [];
  // `numbered` grows during the loop, because notes refer to notes.
  for (const note of book.numbered) notes.push(settleRawText(Parser.parse(note.tokens, options)));
  return {
    html,
    notes: notes.map((note, index) => ({ html: note, references: book.numbered[index]!.references })),
    formulas: renderer.formulas,
    mark,
    sawHtml: renderer.sawHtml,
  };
}

/** The engine's output before it is sanitized, for measuring conformance. Never put this into a page. */
export function toUnsafeHtml(markdown: string): string {
  return toUnsafeDocument(normalize(markdown), false, true).html;
}
