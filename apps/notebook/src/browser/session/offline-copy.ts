import type { ApiNotebook } from '../../api/types.ts';
import { limits } from '../../limits.ts';
import { momentWords } from '../device/date-words.ts';
import { DraftDatabase } from './draft-database.ts';

/** A notebook as its owner's browser last got it from the server, for writing offline. */
export interface OfflineCopy {
  readonly notebook: ApiNotebook;
  /** When the server was last asked, milliseconds since 1970 UTC. */
  readonly keptAt: number;
}

/**
 * Kept beside the drafts under the same slug: what forgets a notebook's drafts forgets the copy too, and the service worker finds it there
 * (browser/offline/worker.ts).
 */
const keyOf = (slug: string) => ({ slug, pageId: '', tab: '', part: 'notebook' }) as const;
const database = new DraftDatabase();
/** The limit for all pages together. A larger notebook can only be edited online. */
const mostChars = 2 * limits.maxMarkdownBytes;

/** The same rule as for views (docs/decisions/0031): a device keeps only what everybody with the link may read. */
export function mayBeKept(notebook: ApiNotebook, now: number): boolean {
  const { visibility, hasPassword, burnAfterRead, lifecycle } = notebook;
  return (
    visibility !== 'private' &&
    hasPassword === false &&
    !burnAfterRead &&
    lifecycle === 'active' &&
    !isOver(notebook, now) &&
    fits(notebook)
  );
}

const isOver = ({ expiresAt }: ApiNotebook, now: number) => expiresAt !== null && Date.parse(expiresAt) <= now;

function fits({ pages }: ApiNotebook): boolean {
  return pages.reduce((chars, { markdown }) => chars + markdown.length, 0) <= mostChars;
}

/** Keeps a copy, or forgets the one there is if the notebook may not (or no longer) be kept. */
export async function keepOfflineCopy(notebook: ApiNotebook): Promise<void> {
  const now = Date.now();
  const value = mayBeKept(notebook, now) ? ({ notebook, keptAt: now } satisfies OfflineCopy) : undefined;
  await database.write([{ ...keyOf(notebook.slug), value }]).catch(() => {});
}

export async function forgetOfflineCopy(slug: string): Promise<void> {
  await database.write([keyOf(slug)]).catch(() => {});
}

export async function findOfflineCopy(slug: string): Promise<OfflineCopy | undefined> {
  const records = await database.list(slug).catch(() => []);
  const copy = records.find(({ part }) => part === 'notebook')?.value as OfflineCopy | undefined;
  if (!copy) return undefined;
  if (mayBeKept(copy.notebook, Date.now())) return copy;
  await forgetOfflineCopy(slug);
  return undefined;
}

/** Tells the owner why a copy is shown, and what happens to what is written in it. */
export function describeOfflineCopy({ keptAt }: OfflineCopy): string {
  const [why, until] = navigator.onLine
    ? ['The server can’t be reached.', 'it can be reached again']
    : ['You’re offline.', 'you’re back online'];
  return `${why} This is the notebook as of ${momentWords(keptAt)}. What you write is kept in this browser and saved when ${until}.`;
}
