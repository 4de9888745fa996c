import type { Needs } from './parts.ts';

/** Learns which texts ended a process twice, no matter which process: from now on they are shown plain. */
export async function learnTextEndings({ store, texts }: Needs<'store' | 'texts'>): Promise<void> {
  texts.setUnsafe(await store.listUnsafeTexts());
}
