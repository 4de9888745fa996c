/** Whether the browser may clear what this site keeps when it runs out of room. `unknown`: it does not say. */
export type StoragePersistence = 'lasting' | 'may be cleared' | 'unknown';

/** What the browser said last, to draw at once; undefined until it has answered. */
export let lastPersistence: StoragePersistence | undefined;

export async function readPersistence(): Promise<StoragePersistence> {
  lastPersistence = await askBrowser(async () => await navigator.storage.persisted());
  return lastPersistence;
}

/**
 * Asks the browser never to clear what this site keeps by itself. To be called once there is something to lose and within a press: some
 * browsers ask the person, and a question without a reason is refused for good.
 */
export async function requestPersistentStorage(): Promise<StoragePersistence> {
  lastPersistence = await askBrowser(async () => (await navigator.storage.persisted()) || (await navigator.storage.persist()));
  return lastPersistence;
}

async function askBrowser(lasts: () => Promise<boolean>): Promise<StoragePersistence> {
  try {
    return (await lasts()) ? 'lasting' : 'may be cleared';
  } catch {
    return 'unknown';
  }
}
