import { keysWithPrefix, readKey, removeKey, writeKey } from '../../device/device-storage.ts';
import type { NotebookSession } from '../../session/notebook-session.ts';

const prefix = 'octavo.uploading.';
const keyOf = (slug: string, id: string) => `${prefix}${slug}/${id}`;

type Noting = Pick<NotebookSession, 'slug' | 'tabs'>;

/**
 * Notes on this device which tab uploads the image of a placeholder. This tells a placeholder whose tab is gone from one that another tab,
 * or another person, is about to replace.
 */
export function noteUpload({ slug, tabs }: Noting, id: string): void {
  writeKey(keyOf(slug, id), tabs.tab);
}

export function forgetUpload({ slug }: Noting, id: string): void {
  removeKey(keyOf(slug, id));
}

/** Reports placeholders that nobody will replace any more: those of closed tabs now, those of open tabs when they close. */
export async function watchLeftBehind(session: Noting, onLeft: (ids: readonly string[]) => void): Promise<void> {
  const { slug, tabs } = session;
  const others = new Set(readNotes(slug).map(({ tab }) => tab));
  others.delete(tabs.tab);
  const alive = await tabs.findOpenTabs(others);
  const tell = (tab: string): void => {
    const left = readNotes(slug).filter(note => note.tab === tab);
    if (left.length > 0) onLeft(left.map(({ id }) => id));
  };
  for (const tab of others) {
    if (alive.has(tab)) void tabs.whenClosed(tab).then(() => tell(tab));
    else tell(tab);
  }
}

function readNotes(slug: string): { readonly id: string; readonly tab: string }[] {
  const start = keyOf(slug, '');
  return keysWithPrefix(start).map(key => ({ id: key.slice(start.length), tab: readKey(key) ?? '' }));
}
