import { Renderer, type Tokens } from 'marked';
import { parseFragment } from 'parse5';
import { replaceEmoji, withEmoji } from './emoji/emoji.ts';
import { escapeHtml } from './escape.ts';
import type { Mark } from './mark.ts';
import type { Formula } from './math/formula.ts';
import { showUnknownTags } from './unknown-tags.ts';

/** A source line on a block token, put there by source-lines.ts. */
export interface Placed {
  line?: number | undefined;
}

/** Before a tag whose content the HTML parser would read as text up to its end tag; raw-text.ts decides what becomes of it. */
export const rawTextSign = '\0';
const rawTextTag = /<(?=(?:title|textarea|style|xmp|iframe|noembed|noframes|script|plaintext|noscript)(?:[\s/>]|$))/gi;
/** Blocks that CommonMark itself reads as raw text (§4.6, start condition 1). */
const rawTextBlock = /^ {0,3}<(?:script|pre|style|textarea)(?:[\s>]|$)/i;

/** What the sanitizer lets a link lead to, and an address of e-mail without its scheme. */
const followed = /^(?:https?|ircs?|mailto|xmpp):|^[^:]*$/i;

/** marked's renderer with destinations as CommonMark wants them, and our marks. Its output is not safe yet. */
export class NotesRenderer extends Renderer {
  readonly #mark: Mark;
  readonly #asWritten: boolean;
  /** Whether the text wrote HTML of its own; only then can the output need to be settled. */
  sawHtml = false;
  readonly formulas: Formula[] = [];
  /** The words for an image's absence are text, without elements. */
  #inAlt = false;

  /** @param asWritten tags of unknown names stay tags, as CommonMark has them: for measuring conformance */
  constructor(mark: Mark, asWritten = false) {
    super();
    this.#mark = mark;
    this.#asWritten = asWritten;
  }

  #place(html: string, token: object): string {
    const { line } = token as Placed;
    return line === undefined ? html : html.replace(/^<[a-z][a-z0-9]*/, `$& ${this.#mark.attribute}="line ${line}"`);
  }

  override code(token: Tokens.Code): string {
    if (/^math(?:\s|$)/.test(token.lang ?? '') && token.text.trim() !== '')
      return this.formulaBlock({ raw: token.raw, tex: token.text, line: (token as Placed).line });
    return this.#place(super.code(token), token);
  }
  override blockquote(token: Tokens.Blockquote): string {
    return this.#place(super.blockquote(token), token);
  }
  override heading(token: Tokens.Heading): string {
    return this.#place(super.heading(token), token);
  }
  override hr(token: Tokens.Hr): string {
    return this.#place(super.hr(token), token);
  }
  override list(token: Tokens.List): string {
    return this.#place(super.list(token), token);
  }
  override listitem(token: Tokens.ListItem): string {
    return this.#place(super.listitem(token), token);
  }
  override paragraph(token: Tokens.Paragraph): string {
    return this.#place(super.paragraph(token), token);
  }
  override table(token: Tokens.Table): string {
    return this.#place(super.table(token), token);
  }

  /** What stands in raw `<code>` is known only when the page is safe, so the name stays until then. */
  override text(token: Tokens.Text | Tokens.Escape): string {
    const html = super.text(token);
    if (this.#asWritten || this.#inAlt || token.type !== 'text' || ('tokens' in token && token.tokens)) return html;
    return replaceEmoji(html, name => `<span ${this.#mark.attribute}="emoji">:${name}:</span>`);
  }

  override html(token: Tokens.HTML | Tokens.Tag): string {
    const raw = this.#asWritten ? token.raw : showUnknownTags(token.raw);
    const { block } = token;
    if (!raw.includes('<')) return block ? unknownBlock(raw) : raw;
    this.sawHtml = true;
    if (block && rawTextBlock.test(raw)) return block && !raw.endsWith('\n') ? `${raw}\n` : raw;
    const signed = raw.replace(rawTextTag, `${rawTextSign}$&`);
    return block && !signed.endsWith('\n') ? `${signed}\n` : signed;
  }

  override link(token: Tokens.Link): string {
    // CommonMark takes `<std::string>` for an address; the sanitizer would leave a link to nowhere.
    if (!this.#asWritten && token.autolink && token.raw.startsWith('<') && !followed.test(token.href))
      return escapeHtml(token.raw);
    const text = token.autolink ? escapeHtml(token.text) : this.parser.parseInline(token.tokens);
    return `<a href="${destination(token.href, token.autolink === true)}"${titleAttribute(token.title)}>${text}</a>`;
  }

  override image(token: Tokens.Image): string {
    this.#inAlt = true;
    const alt = escapeHtml(decodeReferences(this.parser.parseInline(token.tokens, this.parser.textRenderer)));
    this.#inAlt = false;
    if (this.#asWritten) return `<img src="${destination(token.href, false)}" alt="${alt}"${titleAttribute(token.title)}>`;
    const { words, width } = readWidth(alt);
    const size = width === undefined ? '' : ` width="${width}"`;
    return `<img src="${destination(token.href, false)}" alt="${withEmoji(words)}"${titleAttribute(token.title)}${size}>`;
  }

  /** The source stands in its place until the page is safe; it is what a heading's id is made of, too. */
  formula(token: Tokens.Generic): string {
    const { raw, tex, display } = token as unknown as { raw: string; tex: string; display: boolean };
    if (this.#inAlt) return raw;
    const number = this.formulas.push({ tex, display, source: raw });
    return `<span ${this.#mark.attribute}="math ${number}">${escapeHtml(raw)}</span>`;
  }

  formulaBlock(token: object): string {
    const { raw, tex } = token as { raw: string; tex: string };
    const formula = this.formula({ type: 'formula', raw: raw.trim(), tex, display: true });
    return this.#place(`<p>${formula}</p>\n`, token);
  }

  footnoteReference(number: number, occurrence: number): string {
    return `<sup ${this.#mark.attribute}="note ${number} ${occurrence}"></sup>`;
  }
}

/** `![Words|300](picture.png)` is 300 pixels wide, as Obsidian writes it; other programs show the words (docs/decisions/0036-writing.md). */
function readWidth(alt: string): { words: string; width?: string } {
  const found = /\|([1-9]\d{1,3})(?:x\d{1,4})?$/.exec(alt);
  return found ? { words: alt.slice(0, found.index).trimEnd(), width: found[1]! } : { words: alt };
}

/** A block of tags that are all text: its lines stay lines, as in a pasted piece of XML. */
const unknownBlock = (text: string): string => `<p>${text.trim().replaceAll('\n', '<br>\n')}</p>\n`;

function titleAttribute(title: string | null | undefined): string {
  return title ? ` title="${escapeHtml(decodeReferences(title))}"` : '';
}

/** References resolved, everything outside the URL alphabet percent-encoded, what is encoded left alone (CommonMark §6.3). */
function destination(href: string, literal: boolean): string {
  const resolved = literal ? href : decodeReferences(href);
  return escapeHtml(encodeURI(resolved).replace(/%25/g, '%'));
}

/** Character references by the HTML parser's own table. Only strict ones, with their semicolon (CommonMark §2.5). */
function decodeReferences(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});/gi, reference => {
    const [node] = parseFragment(reference).childNodes;
    return node && 'value' in node ? node.value : reference;
  });
}
