import { afterEach, expect, it, vi } from 'vitest';
import { DraftDatabase } from './draft-database.ts';

afterEach(() => vi.unstubAllGlobals());

/** A transaction whose request fails: the error comes first, the reason with the abort (Indexed Database API 3.0 §5.5). */
function failing(reason: DOMException) {
  const transaction = {
    error: null as DOMException | null,
    onerror: undefined as (() => void) | undefined,
    onabort: undefined as (() => void) | undefined,
    objectStore: () => ({ put: () => {}, delete: () => {} }),
    commit: () => {
      queueMicrotask(() => {
        transaction.onerror?.();
        transaction.error = reason;
        transaction.onabort?.();
      });
    },
  };
  return transaction;
}

it.each([
  ['QuotaExceededError', 1],
  ['UnknownError', 2],
])('a write that fails with %s opens the database %i times in all', async (name, times) => {
  const open = vi.fn(() => {
    const request = {
      result: { transaction: () => failing(new DOMException('no', name)) },
      onsuccess: undefined as (() => void) | undefined,
    };
    queueMicrotask(() => request.onsuccess?.());
    return request;
  });
  vi.stubGlobal('indexedDB', { open });
  const write = new DraftDatabase().write([{ slug: 'desk', pageId: 'p', tab: 'tab', part: 'text', value: 'words' }]);
  await expect(write).rejects.toMatchObject({ name });
  expect(open).toHaveBeenCalledTimes(times);
});
