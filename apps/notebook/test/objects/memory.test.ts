import { describe } from 'vitest';
import { createMemoryStore } from '../../src/objects/memory.ts';
import { objectStoreContract } from './object-store.contract.ts';

describe('the object store in memory', () => {
  const store = createMemoryStore();
  objectStoreContract(() => ({ store, fetch: async key => store.find(key) }));
});
