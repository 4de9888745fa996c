import { readKey, removeKey, writeKey } from '../device/device-storage.ts';
import type { SourceLayer } from './colors/source-layer.ts';

const key = 'octavo.editor.colors';
const plainWanted = '(forced-colors: active), (prefers-contrast: more)';

/** The browser can paint them, and its colors are not the reader's own. */
export const canColor = (): boolean => 'highlights' in CSS && !matchMedia(plainWanted).matches;

export const colorsChosen = (): boolean => readKey(key) !== 'off';

export function keepColors(chosen: boolean): void {
  if (chosen) removeKey(key);
  else writeKey(key, 'off');
}

/** Colors the text of a field, as soon as the script for it is here; what this answers takes them away. */
export function colorSource(field: HTMLTextAreaElement): () => void {
  const plain = matchMedia(plainWanted);
  let layer: SourceLayer | undefined;
  let ended = false;
  const look = async (): Promise<void> => {
    layer?.close();
    layer = undefined;
    if (!canColor()) return;
    // Without a network the text stays as it is.
    const loaded = await import('./colors/source-layer.ts').catch(() => undefined);
    if (loaded && !ended && !layer && canColor()) layer = new loaded.SourceLayer(field);
  };
  plain.addEventListener('change', look);
  void look();
  return () => {
    ended = true;
    plain.removeEventListener('change', look);
    layer?.close();
  };
}
