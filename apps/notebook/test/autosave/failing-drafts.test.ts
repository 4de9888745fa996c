import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Draft } from '../../src/browser/session/draft.ts';
import { Drafts } from '../../src/browser/session/drafts.ts';

/** Transactions of a database that is full, in the order in which they began. They end when the test says so. */
let transactions: { error: DOMException; onabort?: () => void }[];
let keys: Map<string, string>;

beforeEach(() => {
  transactions = [];
  keys = new Map();
  const database = {
    transaction() {
      const store = { put: () => {}, delete: () => {} };
      const transaction = { error: new DOMException('full', 'QuotaExceededError'), objectStore: () => store, commit: () => {} };
      transactions.push(transaction);
      return transaction;
    },
  };
  vi.stubGlobal('indexedDB', {
    open() {
      const request = { result: database, onsuccess: () => {} };
      queueMicrotask(() => request.onsuccess());
      return request;
    },
  });
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => keys.get(key) ?? null,
    setItem: (key: string, value: string) => keys.set(key, value),
    removeItem: (key: string) => keys.delete(key),
  });
});
afterEach(() => vi.unstubAllGlobals());

const draftOf = (markdown: string, changedAt: number): Draft => ({
  pageId: 'p',
  title: '',
  markdown,
  baseRevision: 1,
  baseMarkdown: '',
  changedAt,
});
const stored = () => [...keys.values()].map(value => (JSON.parse(value) as Draft).markdown);

it('what fails late puts no older text over a newer one', async () => {
  const drafts = new Drafts('slug', 'tab', () => {});
  const writes = ['one', 'two'].map((text, at) => {
    drafts.keep(draftOf(text, at));
    return drafts.writeNow();
  });
  await vi.waitUntil(() => transactions.length === 2);
  transactions[0]!.onabort!();
  await writes[0];
  // While the database is known to be full, a text goes past it.
  drafts.keep(draftOf('three', 3));
  await drafts.writeNow();
  expect(stored()).toEqual(['three']);
  transactions[1]!.onabort!();
  await writes[1];
  expect(stored()).toEqual(['three']);
});
