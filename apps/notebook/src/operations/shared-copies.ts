import type { Notebook } from '../model/notebook.ts';
import type { Store } from '../store/store.ts';
import { TextCopy } from './text-copy.ts';

interface Shared {
  readonly opening: Promise<TextCopy | undefined>;
  readers: number;
}

/** A reader's part in a copy. The last reader who leaves closes it. */
export interface CopyShare {
  readonly copy: TextCopy;
  /** Leaving again changes nothing. */
  readonly leave: () => Promise<void>;
}

const copiesOf = new WeakMap<Store, Map<string, Shared>>();

/**
 * Readers who come while a notebook is the same share its copy, so that forty of them read its pages from the database once. Each still
 * reads the list of pages itself, and a text belongs to one revision: nobody gets what is older than their request. Once the notebook
 * changed, newcomers begin a new copy: in one for all its states, texts of the past would pile up as long as readers overlap.
 * @returns undefined where no temporary file can be written
 */
export async function joinCopy(store: Store, { id, version }: Pick<Notebook, 'id' | 'version'>): Promise<CopyShare | undefined> {
  const copies = copiesOf.get(store) ?? new Map<string, Shared>();
  copiesOf.set(store, copies);
  const key = `${id} ${version}`;
  const shared = copies.get(key) ?? { opening: TextCopy.open(), readers: 0 };
  copies.set(key, shared);
  shared.readers += 1;
  let hasLeft = false;
  const leave = async () => {
    if (hasLeft) return;
    hasLeft = true;
    shared.readers -= 1;
    if (shared.readers > 0) return;
    copies.delete(key);
    await (await shared.opening)?.close();
  };
  const copy = await shared.opening;
  if (copy) return { copy, leave };
  await leave();
  return undefined;
}
