import type { ObjectHeaders, ObjectStore, StoredObject } from './object-store.ts';

export interface MemoryStore extends ObjectStore {
  /** The object as a browser would fetch it. */
  find(key: string): { readonly bytes: Uint8Array; readonly headers: ObjectHeaders } | undefined;
}

export interface MemoryStoreOptions {
  readonly publicUrl?: string;
  readonly now?: () => number;
}

const maxListed = 1_000;

/** Objects that end with the process, for tests that are not about the store. */
export function createMemoryStore({ publicUrl = 'http://images.invalid', now = Date.now }: MemoryStoreOptions = {}): MemoryStore {
  const kept = new Map<string, StoredObject & { readonly content: Uint8Array; readonly headers: ObjectHeaders }>();
  return {
    publicUrl: key => `${publicUrl}/${key}`,
    async put(key, bytes, headers) {
      kept.set(key, { key, bytes: bytes.byteLength, modifiedAt: now(), content: new Uint8Array(bytes), headers });
    },
    async get(key, signal) {
      signal?.throwIfAborted();
      const found = kept.get(key);
      if (!found) return undefined;
      return (async function* () {
        yield found.content;
      })();
    },
    async delete(keys, signal) {
      signal?.throwIfAborted();
      for (const key of keys) kept.delete(key);
    },
    async list(after = '', signal) {
      signal?.throwIfAborted();
      const keys = [...kept.keys()].filter(key => key > after).sort();
      const objects = keys.slice(0, maxListed).map(key => {
        const { bytes, modifiedAt } = kept.get(key)!;
        return { key, bytes, modifiedAt };
      });
      return { objects, ...(keys.length > maxListed ? { next: objects.at(-1)!.key } : {}) };
    },
    find(key) {
      const found = kept.get(key);
      return found && { bytes: found.content, headers: found.headers };
    },
  };
}
