/** One stored part of a draft: the text, or the base it was made from. They are separate because only the text changes at every key. */
export interface DraftRecord {
  readonly slug: string;
  readonly pageId: string;
  readonly tab: string;
  /** `notebook`: offline-copy.ts; `changes`: offline-changes.ts. */
  readonly part: 'text' | 'base' | 'notebook' | 'changes';
  readonly value: unknown;
}

export type DraftChange = Omit<DraftRecord, 'value'> & { readonly value?: unknown };

const databaseName = 'octavo';
const storeName = 'drafts';
/** Some browsers never answer where storage is blocked. */
const timeoutMilliseconds = 4_000;

type Key = Omit<DraftRecord, 'value'>;

const keyOf = ({ slug, pageId, tab, part }: Key): string[] => [slug, pageId, tab, part];

/** Keeps drafts in IndexedDB: asynchronous, so typing never waits, and large enough for pages of a megabyte. Every method may throw. */
export class DraftDatabase {
  #opening: Promise<IDBDatabase> | undefined;
  #database: IDBDatabase | undefined;

  /** Writes in one transaction, in the order of calls. A change without a value removes the record. */
  async write(changes: readonly DraftChange[]): Promise<void> {
    // With an open database everything is handed over before the first await, so a page that is closing still gets it done.
    const database = this.#database ?? (await this.#open());
    await this.#write(database, changes).catch(async (problem: unknown) => {
      // A browser may close the connection of a sleeping tab, so one failure is tried again.
      if (this.#database === database) this.#forgetConnection();
      if (problem instanceof DOMException && problem.name === 'QuotaExceededError') throw problem;
      await this.#write(await this.#open(), changes);
    });
  }

  async list(slug: string): Promise<DraftRecord[]> {
    const store = (await this.#open()).transaction(storeName).objectStore(storeName);
    const range = IDBKeyRange.bound([slug], [slug, []]);
    const [keys, values] = await Promise.all([answerOf(store.getAllKeys(range)), answerOf(store.getAll(range))]);
    return keys.map((key, place) => {
      const [, pageId, tab, part] = key as [string, string, string, DraftRecord['part']];
      return { slug, pageId, tab, part, value: values[place] as unknown };
    });
  }

  async forget(slug: string): Promise<void> {
    const transaction = (await this.#open()).transaction(storeName, 'readwrite');
    transaction.objectStore(storeName).delete(IDBKeyRange.bound([slug], [slug, []]));
    await endOf(transaction);
  }

  async #write(database: IDBDatabase, changes: readonly DraftChange[]): Promise<void> {
    const transaction = database.transaction(storeName, 'readwrite');
    const store = transaction.objectStore(storeName);
    for (const change of changes) {
      if (change.value === undefined) store.delete(keyOf(change));
      else store.put(change.value, keyOf(change));
    }
    transaction.commit();
    await endOf(transaction);
  }

  #open(): Promise<IDBDatabase> {
    this.#opening ??= openDatabase().then(database => {
      this.#database = database;
      database.onclose = () => this.#forgetConnection();
      // This connection must not block a newer version of the program in another tab.
      database.onversionchange = () => {
        database.close();
        this.#forgetConnection();
      };
      return database;
    });
    this.#opening.catch(() => this.#forgetConnection());
    return this.#opening;
  }

  #forgetConnection(): void {
    this.#opening = undefined;
    this.#database = undefined;
  }
}

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error('This browser did not open its database.')), timeoutMilliseconds);
    const request = indexedDB.open(databaseName, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(storeName);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function answerOf<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function endOf(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    // A failed request aborts its transaction, and only then the transaction has its reason: that the device is full, for example.
    transaction.onabort = () => reject(transaction.error ?? new Error('This browser did not store the text.'));
  });
}
