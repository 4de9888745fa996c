import { withEmoji } from '../markdown/emoji/emoji.ts';
import { isHtmlTag } from '../markdown/known-tags.ts';

// Stryker disable Regex: one of the changes it makes here is not a regular expression that Node accepts.
const rules: readonly (readonly [RegExp, string | ((tag: string, name: string) => string)])[] = [
  // Lines without words: fences, rules, heading underlines, the second row of a table.
  [/^[ \t]{0,3}(?:```|~~~).*$/gm, ''],
  [/^[\p{Zs}\t\v\f\ufeff:|=*_-]+$/gmu, ''],
  [/^[ \t>]*(?:#{1,6}[ \t]+|[-*+][ \t]+|\d{1,9}[.)][ \t]+)?(?:\[[ xX]\][ \t]+)?/gm, ''],
  // The width of an image.
  [/(!\[[^[\]|]*)\|\d{2,4}(?:x\d{1,4})?(?=\]\()/g, '$1'],
  [/\|/g, ' '],
  // Twice, for an image inside a link. No class matches its own opening bracket, so each text is scanned once.
  [/!?\[([^[\]]*)\]\([^()]*\)/g, '$1'],
  [/!?\[([^[\]]*)\]\([^()]*\)/g, '$1'],
  [/\[([^[\]]*)\]\[[^[\]]*\]/g, '$1'],
  [/<!--[^<>]*-->/g, ' '],
  // A view leaves these elements out with their content.
  [/<(script|style)(?:\s[^<>]*)?>[^<]*<\/\1\s*>/gi, ' '],
  [/<\/?([a-zA-Z][a-zA-Z0-9-]*)(?:\s[^<>]*)?\/?>/g, (tag, name) => (isHtmlTag(name) ? ' ' : tag)],
  [/(?<!\\)(?:\*\*|__|~~|`+)/g, ''],
  // Marked words: an opening mark before a word, a closing mark after one.
  [/(?<![a-z0-9_=\\])==(?=[^\s=])|(?<=[^\s=\\])==(?![a-z0-9_=])/gi, ''],
  [/(?<=[^\s\\])\*|(?<!\\)\*(?=\S)/g, ''],
  [/(?<![\p{L}\p{N}_\\])_|(?<!\\)_(?![\p{L}\p{N}_])/gu, ''],
  [/\\([!-/:-@[-`{-~])/g, '$1'],
  [/&nbsp;/g, ' '],
  [/&lt;/g, '<'],
  [/&gt;/g, '>'],
  [/&quot;/g, '"'],
  [/&amp;/g, '&'],
  [/\s+/g, ' '],
];
// Stryker restore Regex

/** The words of a markdown text without its markup, on one line: for snippets. It is never HTML; the caller that shows it escapes it. */
export function plainText(markdown: string): string {
  const words = rules.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement as string), markdown);
  return withEmoji(words).trim();
}
