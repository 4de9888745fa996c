import { nextTurn } from '../event-loop-turns.ts';
import type { Page } from '../model/notebook.ts';
import type { Store } from '../store/store.ts';

const charsInTurn = 65_536;
let charsLeft = 0;

/**
 * Reads a page in a turn of the event loop: a few short ones in one turn or one long one, of all readers together. SQLite reads in the
 * thread that answers, and a page of a mebibyte takes it 8 to 15 ms where fresh memory is expensive.
 */
export async function readInTurn(find: () => Promise<Page | undefined>): Promise<Page | undefined> {
  if (charsLeft <= 0) {
    await nextTurn();
    charsLeft = charsInTurn;
  }
  const left = charsLeft;
  // How long it is shows once it was read, so nobody else begins meanwhile.
  charsLeft = 0;
  const page = await find();
  charsLeft = Math.max(charsLeft, left - (page?.markdown.length ?? 0));
  return page;
}

/** Finds pages in such turns. */
export function inTurns(store: Pick<Store, 'findPage'>): Pick<Store, 'findPage'> {
  return { findPage: (notebookId, pageId) => readInTurn(() => store.findPage(notebookId, pageId)) };
}
