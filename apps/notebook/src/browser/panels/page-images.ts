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

const alt = /\salt\s*=\s*(?:"([^"]*)"|'([^']*)')/i;
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", apos: "'" };

function altWords(text: string, url: string): string {
  const at = text.indexOf(url);
  if (at === -1) return '';
  const before = text.slice(Math.max(0, at - longestWords), at);
  const start = before.toLowerCase().lastIndexOf('<img');
  const tag = start === -1 ? '' : before.slice(start) + text.slice(at, at + longestWords).split('>', 1)[0];
  if (tag.includes('>')) return '';
  const found = alt.exec(tag);
  const words = (found?.[1] ?? found?.[2] ?? '').replaceAll(/&(amp|lt|gt|quot|apos|#39);/g, (_, name: string) => entities[name]!);
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
