import { keysWithPrefix, readKey, removeKey, writeKey } from '../../device/device-storage.ts';
import type { NotebookSession } from '../../session/notebook-session.ts';
import { fillText, hasPlaceholder } from './placeholder.ts';

const prefix = 'octavo.uploading.';
const keyOf = (slug: string, id: string) => `${prefix}${slug}/${id}`;

/**
 * Remembers on this device that an upload runs, held by a lock that ends with the tab: a placeholder whose tab has crashed can so be
 * told from one that another tab, or another person, is about to replace.
 */
export function keepRunning(slug: string, id: string): void {
  const key = keyOf(slug, id);
  if (!navigator.locks || !writeKey(key, '1')) return;
  void navigator.locks.request(key, () => waitForRelease(key));
}

export function forgetRunning(slug: string, id: string): void {
  const key = keyOf(slug, id);
  removeKey(key);
  releases.get(key)?.();
  releases.delete(key);
}

const releases = new Map<string, () => void>();

async function waitForRelease(key: string): Promise<void> {
  // Forgotten before the lock came.
  if (readKey(key) === undefined) return;
  await new Promise<void>(resolve => releases.set(key, resolve));
}

/** Takes placeholders of this device out that nobody will replace any more. */
export async function clearLeftBehind(session: NotebookSession): Promise<void> {
  const keys = keysWithPrefix(`${prefix}${session.slug}/`);
  if (keys.length === 0 || !navigator.locks) return;
  const held = new Set(((await navigator.locks.query()).held ?? []).map(lock => lock.name));
  const dead = keys.filter(key => !held.has(key));
  const texts = new Map(dead.map(key => [key.slice(key.indexOf('/') + 1), '']));
  for (const page of session.pages.all) {
    const left = [...texts.keys()].some(id => hasPlaceholder(page.saver.text, id));
    if (left) page.saver.change(fillText(page.saver.text, texts));
  }
  for (const key of dead) removeKey(key);
}
