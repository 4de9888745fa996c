import type { ApiImage } from '../../api/types.ts';
import type { EditorPage } from '../session/editor-page.ts';

/** Pages whose text contains the image's address, unsaved words included. */
export function pagesShowing({ url }: Pick<ApiImage, 'url'>, pages: readonly EditorPage[]): EditorPage[] {
  return pages.filter(page => page.saver.text.includes(url));
}

/** Longer words are not looked for: they are no description of an image, but a text whose brackets don't match. */
const longestWords = 500;

/** The image on a page described as Markdown: the words between its brackets, or its `alt` in HTML. Empty where no page describes it. */
export function markdownWordsOf({ url }: Pick<ApiImage, 'url'>, pages: readonly EditorPage[]): string {
  for (const { saver } of pages) {
    const words = bracketWords(saver.text, url) || altWords(saver.text, url);
    if (words !== '') return words;
  }
  return '';
}

function bracketWords(text: string, url: string): string {
  const to = text.indexOf(`](${url}`);
  if (to === -1) return '';
  const before = text.slice(Math.max(0, to - longestWords), to);
  const words = before.slice(before.lastIndexOf('![') + 2);
  return before.includes('![') && words.trim() !== '' && !/\]\(|\n/.test(words) ? words : '';
}

/** A tag as far as its end. A `>` in quotes ends nothing. */
const tagStart = /^<img(?:"[^"]*"|'[^']*'|[^"'>])*/i;
const attribute = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>=]+)))?/g;
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", apos: "'" };

function altWords(text: string, url: string): string {
  const at = text.indexOf(url);
  if (at === -1) return '';
  const from = Math.max(0, at - longestWords);
  const start = text.slice(from, at).toLowerCase().lastIndexOf('<img');
  if (start === -1) return '';
  const [tag] = tagStart.exec(text.slice(from + start, at + longestWords))!;
  if (from + start + tag.length <= at) return '';
  const found = [...tag.slice('<img'.length).matchAll(attribute)].find(([, name]) => name!.toLowerCase() === 'alt');
  const words = (found?.[2] ?? found?.[3] ?? found?.[4] ?? '').replaceAll(
    /&(amp|lt|gt|quot|apos|#39);/g,
    (_, name: string) => entities[name]!,
  );
  return words
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(/[\\[\]*_`<|]/g, '\\$&');
}

/** Those words as they are read: without escapes, and without the size behind the last bar. */
export function readWords(markdown: string): string {
  return markdown
    .replace(/(?<!\\)\|\d{1,4}$/, '')
    .replaceAll(/\\([!-/:-@[-`{-~])/g, '$1')
    .trim();
}

/** `a`, `a and b`, `a, b and c`. */
export function listNames(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}

export function sizeInWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1_048_576 ? `${Math.round(bytes / 1024)} kB` : `${(bytes / 1_048_576).toFixed(1)} MB`;
}
