import type { Needs } from './parts.ts';

/** Which texts ended a process twice, whichever process it was: from now on they are shown plain. */
export async function learnTextEndings({ store, texts }: Needs<'store' | 'texts'>): Promise<void> {
  texts.setUnsafe(await store.listUnsafeTexts());
}
