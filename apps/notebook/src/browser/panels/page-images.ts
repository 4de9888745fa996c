import type { ApiImage } from '../../api/types.ts';
import type { EditorPage } from '../session/editor-page.ts';

/** Pages whose text contains the image's address, unsaved words included. */
export function pagesShowing({ url }: Pick<ApiImage, 'url'>, pages: readonly EditorPage[]): EditorPage[] {
  return pages.filter(page => page.saver.text.includes(url));
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
