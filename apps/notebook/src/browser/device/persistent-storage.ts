/** Whether the browser may clear what this site stores when space runs low. `unknown` when it does not say. */
export type StoragePersistence = 'lasting' | 'may be cleared' | 'unknown';

/** The browser's last answer, for rendering at once. Undefined until it has answered. */
export let lastPersistence: StoragePersistence | undefined;

export async function readPersistence(): Promise<StoragePersistence> {
  lastPersistence = await askBrowser(async () => await navigator.storage.persisted());
  return lastPersistence;
}

/**
 * Asks the browser never to clear this site's storage on its own. Call it once there is something to lose and from within a click: some
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
