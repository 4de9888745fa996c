import { Refusal } from '../errors.ts';
import type { PageHead } from '../model/notebook.ts';
import type { Store } from '../store/store.ts';
import { inTurns, readInTurn } from './page-turns.ts';
import type { Needs } from './parts.ts';
import type { NotebookRead } from './read-notebook.ts';
import { type CopyShare, joinCopy } from './shared-copies.ts';
import type { TextCopy } from './text-copy.ts';

type Seen = Pick<NotebookRead, 'notebook' | 'access'>;

/** Where pages are read: the store, for pages as they are now, or a copy. */
export type PageSource = Pick<Store, 'listPageHeads' | 'findPage'>;

/** A notebook too large for memory, as it was at one moment, however slowly it is read. */
export interface CopiedNotebook<Also> extends NotebookRead {
  /** Anything else that was read of the same moment. */
  readonly also: Also;
  /** Pages come from the copy, under their heads of that moment. */
  readonly store: PageSource;
  /** To be called when the answer is over. */
  readonly close: () => Promise<void>;
}

export interface Wanted<Also> {
  /** Absent: all pages. */
  readonly isWanted?: ((head: PageHead) => boolean) | undefined;
  readonly readAlso: (notebookId: string) => Promise<Also>;
}

/** Another reading is needed only if the notebook changed during the one before, and reads only the pages that changed. */
const mostReadings = 20;

const changing = (detail: string) => new Refusal('unavailable', { retryAfterSeconds: 1, detail });

/**
 * Copies the pages one by one, as fast as the database gives them, until the notebook was the same before and after: the pages of a move
 * from one to another, each read at a different moment, may both be without what was moved. Saves wait for nobody. Where no file can be
 * written, pages come from the store instead, and a page that is no longer what it was breaks the answer off.
 * @param look reads the record again; throws when this reader may no longer see the notebook
 * @throws Refusal, also when the notebook changes during every reading
 */
export async function copyNotebook<Also>(
  { store }: Needs<'store'>,
  first: Seen,
  look: () => Promise<Seen>,
  { isWanted = () => true, readAlso }: Wanted<Also>,
): Promise<CopiedNotebook<Also>> {
  let share = await joinCopy(store, first.notebook);
  let seen = first;
  const giveBack = (last: CopyShare | undefined) => async () => last?.leave();
  try {
    for (let readings = 1; readings <= mostReadings; readings++) {
      const { id, version } = seen.notebook;
      const heads = await store.listPageHeads(id);
      const also = await readAlso(id);
      for (const head of heads.filter(isWanted)) {
        if (!share || (await share.copy.has(head))) continue;
        const { copy } = share;
        // When its turn comes, another reader may have kept it.
        const page = await readInTurn(async () => ((await copy.has(head)) ? undefined : store.findPage(id, head.id)));
        const fits = !page || (await copy.keep(page));
        await look();
        if (fits) continue;
        await share.leave();
        share = undefined;
      }
      const now = await look();
      if (now.notebook.id === id && now.notebook.version === version)
        return { ...now, heads, also, store: pagesOf(inTurns(store), share?.copy, heads), close: giveBack(share) };
      seen = now;
    }
    throw changing('The notebook is being changed right now. Try again in a moment.');
  } catch (error) {
    await share?.leave();
    throw error;
  }
}

function pagesOf(from: Pick<Store, 'findPage'>, copy: TextCopy | undefined, heads: readonly PageHead[]): PageSource {
  const headOf = new Map(heads.map(head => [head.id, head]));
  return {
    listPageHeads: async () => [...heads],
    async findPage(notebookId, pageId) {
      const head = headOf.get(pageId);
      if (!head) return undefined;
      if (copy) return copy.find(head);
      const page = await from.findPage(notebookId, pageId);
      if (page?.revision !== head.revision) throw changing('The notebook was changed while it was read.');
      return { ...page, position: head.position };
    },
  };
}
