import type { ApiNotebook, ApiPage } from '../../api/types.ts';
import { momentWords } from '../device/date-words.ts';
import { withLineFeeds } from '../merge/line-feeds.ts';
import type { LeftDraft } from './draft.ts';
import type { FindAlive } from './drafts.ts';
import type { EditorPage } from './editor-page.ts';
import type { OpenPages } from './open-pages.ts';
import type { SessionNotes } from './session-notes.ts';
import type { TextKeeper } from './text-keeper.ts';

/** What of a session takes texts up. */
export interface Adopting {
  readonly notebook: ApiNotebook;
  readonly pages: OpenPages;
  readonly notes: SessionNotes;
  leftTexts: readonly LeftDraft[];
}

/**
 * Takes up what closed and crashed tabs left behind: the newest text of each page goes into it, what does not fit anywhere is offered
 * beside. A stored text is removed only when something else holds it.
 */
export async function adoptDrafts(session: Adopting, texts: TextKeeper, findAlive: FindAlive): Promise<void> {
  const taken = new Set<string>();
  const left: LeftDraft[] = [];
  for (const draft of await texts.findLeft(findAlive)) {
    const page = session.pages.find(draft.pageId);
    // Deleted here, and the server does not know yet: if it refuses, the draft is still there.
    if (!page && session.pages.isDeletedOffline(draft.pageId)) continue;
    if (!page) left.push(draft);
    else if (taken.has(page.id) && !isHeld(draft, page)) left.push(draft);
    else {
      if (!taken.has(page.id)) await adopt(session, page, draft);
      taken.add(page.id);
      await texts.dropLeft(draft);
    }
  }
  session.leftTexts = left;
}

async function adopt(session: Adopting, page: EditorPage, draft: LeftDraft): Promise<void> {
  const theirs = session.notebook.pages.find(other => other.id === page.id) ?? notThereYet(page);
  const adopted = await page.saver.adopt(draft, theirs);
  if (adopted === 'nothing' || page.isNew) return;
  session.pages.currentId = page.id;
  if (adopted === 'conflict') return;
  const name = `restored ${page.id}`;
  const action = {
    label: 'Show what the server had',
    run: () => {
      session.pages.changeText(page.id, withLineFeeds(theirs.markdown));
      session.notes.say({ name, text: 'This is what the server had. Undo brings the restored text back.' });
    },
  };
  session.notes.say({ name, text: `Unsaved text from ${momentWords(draft.changedAt)} was restored.`, action });
}

const notThereYet = ({ id, title }: EditorPage): ApiPage => ({ id, title, markdown: '', revision: 0, updatedAt: '' });

/** A second tab's draft whose words the page has already. */
function isHeld(draft: LeftDraft, page: EditorPage): boolean {
  const { text, savedText } = page.saver;
  return [text, savedText, draft.baseMarkdown].includes(draft.markdown);
}
