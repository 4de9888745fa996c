/** Whether the browser may clear what this site keeps when it runs out of room. `unknown`: it does not say. */
export type StoragePersistence = 'lasting' | 'may be cleared' | 'unknown';

/** As it was when it was read last: what is drawn with it does not move what lies below when the browser answers. */
export let lastPersistence: StoragePersistence = 'unknown';

export async function readPersistence(): Promise<StoragePersistence> {
  try {
    lastPersistence = (await navigator.storage.persisted()) ? 'lasting' : 'may be cleared';
  } catch {
    lastPersistence = 'unknown';
  }
  return lastPersistence;
}

/**
 * Asks the browser never to clear what this site keeps by itself. To be called once there is something to lose and within a press: some
 * browsers ask the person, and a question without a reason is refused for good.
 */
export async function requestPersistentStorage(): Promise<StoragePersistence> {
  try {
    if (await navigator.storage.persisted()) return 'lasting';
    return (await navigator.storage.persist()) ? 'lasting' : 'may be cleared';
  } catch {
    return 'unknown';
  }
}
