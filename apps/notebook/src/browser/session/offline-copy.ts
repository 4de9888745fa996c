import type { ApiNotebook } from '../../api/types.ts';
import { limits } from '../../limits.ts';
import { DraftDatabase } from './draft-database.ts';

/** A notebook as its owner's browser last had it from the server, to be written in without a network. */
export interface OfflineCopy {
  readonly notebook: ApiNotebook;
  /** When the server was last asked, milliseconds since 1970 UTC. */
  readonly keptAt: number;
}

/**
 * Beside the drafts and under the same slug: what forgets a notebook's drafts forgets this too, and the service worker finds it there
 * (browser/offline/worker.ts).
 */
const keyOf = (slug: string) => ({ slug, pageId: '', tab: '', part: 'notebook' }) as const;
const database = new DraftDatabase();
/** Of all pages together; a larger notebook is written online. */
const mostChars = 2 * limits.maxMarkdownBytes;

/** The same rule as for views (docs/decisions/0031): only what everybody with the link may read lies on a device. */
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

/** Keeps it, or forgets what was kept of it where it may not be kept (any more). */
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
