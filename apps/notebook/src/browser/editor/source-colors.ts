import { readKey, removeKey, writeKey } from '../device/device-storage.ts';
import { whenIdle } from '../device/when-idle.ts';
import type { SourceLayer } from './colors/source-layer.ts';

const key = 'octavo.editor.colors';
const mostIdleMilliseconds = 1_000;
/** When the opening editor had nothing else to do. */
let atRest: Promise<void> | undefined;
const plainWanted = '(forced-colors: active), (prefers-contrast: more)';

/** True if the browser has highlights and the person has not set their own colors. */
export const canColor = (): boolean => 'highlights' in CSS && !matchMedia(plainWanted).matches;

export const colorsChosen = (): boolean => readKey(key) !== 'off';

export function keepColors(chosen: boolean): void {
  if (chosen) removeKey(key);
  else writeKey(key, 'off');
}

/** Colors the text of a field once the script for it has loaded. @returns a function that removes the colors */
export function colorSource(field: HTMLTextAreaElement): () => void {
  const plain = matchMedia(plainWanted);
  let layer: SourceLayer | undefined;
  let ended = false;
  const look = async (): Promise<void> => {
    layer?.close();
    layer = undefined;
    if (!canColor()) return;
    // The copy of the text is laid out as a whole, and until it is, no key can be answered.
    atRest ??= whenIdle(mostIdleMilliseconds);
    await atRest;
    // Without a network the text stays uncolored.
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
