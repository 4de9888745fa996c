import { Renderer, type Tokens } from 'marked';
import { parseFragment } from 'parse5';
import { replaceEmoji, withEmoji } from './emoji/emoji.ts';
import { escapeHtml } from './escape.ts';
import type { Mark } from './mark.ts';
import type { Formula } from './math/formula.ts';
import { showUnknownTags } from './unknown-tags.ts';

/** A block token with its source line, set by source-lines.ts. */
export interface Placed {
  line?: number | undefined;
}

/** Put before tags whose content the HTML parser would read as text up to the end tag; raw-text.ts decides what happens to them. */
export const rawTextSign = '\0';
const rawTextTag = /<(?=(?:title|textarea|style|xmp|iframe|noembed|noframes|script|plaintext|noscript)(?:[\s/>]|$))/gi;
/** Blocks that CommonMark reads as raw text (§4.6, start condition 1). */
const rawTextBlock = /^ {0,3}<(?:script|pre|style|textarea)(?:[\s>]|$)/i;

/** Addresses the sanitizer allows in a link, and email addresses without a scheme. */
const followed = /^(?:https?|ircs?|mailto|xmpp):|^[^:]*$/i;

/** marked's renderer with CommonMark's link destinations and our marks. Its output is not safe yet. */
export class NotesRenderer extends Renderer {
  readonly #mark: Mark;
  readonly #asWritten: boolean;
  /** Whether the text contains HTML. Only then may the output need to be settled. */
  sawHtml = false;
  readonly formulas: Formula[] = [];
  /** True inside an image's alternative text, which has no elements. */
  #inAlt = false;

  /** @param asWritten keeps tags with unknown names as tags, as in CommonMark, for measuring conformance */
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

  /** Keeps emoji names until the page is sanitized, because only then it is known what is inside raw `<code>`. */
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
    // CommonMark reads `<std::string>` as an address, and the sanitizer would leave a link to nowhere.
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

  /** Writes the formula's source as a placeholder until the page is sanitized. A heading's id is made from it too. */
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

/** `![Words|300](picture.png)` is 300 pixels wide, as in Obsidian; other apps show the text (docs/decisions/0036-writing.md). */
function readWidth(alt: string): { words: string; width?: string } {
  const found = /\|([1-9]\d{1,3})(?:x\d{1,4})?$/.exec(alt);
  return found ? { words: alt.slice(0, found.index).trimEnd(), width: found[1]! } : { words: alt };
}

/** A block of tags that are all shown as text. Its line breaks stay, as for pasted XML. */
const unknownBlock = (text: string): string => `<p>${text.trim().replaceAll('\n', '<br>\n')}</p>\n`;

function titleAttribute(title: string | null | undefined): string {
  return title ? ` title="${escapeHtml(decodeReferences(title))}"` : '';
}

/** Resolves references and percent-encodes everything outside the URL alphabet that is not already encoded (CommonMark §6.3). */
function destination(href: string, literal: boolean): string {
  const resolved = literal ? href : decodeReferences(href);
  return escapeHtml(encodeURI(resolved).replace(/%25/g, '%'));
}

/** Decodes character references with the HTML parser's table. Only those with a semicolon count (CommonMark §2.5). */
function decodeReferences(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});/gi, reference => {
    const [node] = parseFragment(reference).childNodes;
    return node && 'value' in node ? node.value : reference;
  });
}
