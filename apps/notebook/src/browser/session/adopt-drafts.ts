import type { ApiNotebook, ApiPage } from '../../api/types.ts';
import { momentWords } from '../device/date-words.ts';
import { withLineFeeds } from '../merge/line-feeds.ts';
import type { AbandonedDraft } from './draft.ts';
import type { FindOpenTabs } from './drafts.ts';
import type { EditorPage } from './editor-page.ts';
import type { OpenPages } from './open-pages.ts';
import { mergeSent } from './sent-texts.ts';
import type { SessionNotes } from './session-notes.ts';
import type { TextKeeper } from './text-keeper.ts';

/** The part of a session that takes up left texts. */
export interface Adopting {
  readonly notebook: ApiNotebook;
  readonly pages: OpenPages;
  readonly notes: SessionNotes;
  orphanedTexts: readonly AbandonedDraft[];
}

/**
 * Takes up what closed and crashed tabs left behind. The newest text of each page goes into the page; what fits nowhere is offered
 * separately. A stored text is removed only when something else holds it.
 */
export async function adoptDrafts(session: Adopting, texts: TextKeeper, findOpenTabs: FindOpenTabs): Promise<void> {
  const taken = new Set<string>();
  const left: AbandonedDraft[] = [];
  for (const draft of await texts.findAbandoned(findOpenTabs)) {
    const page = session.pages.find(draft.pageId);
    // The page was deleted here and the server does not know yet: if it refuses, the draft must still be there.
    if (!page && session.pages.isDeletedOffline(draft.pageId)) continue;
    if (!page) left.push(draft);
    else if (taken.has(page.id) && !isHeld(draft, page)) left.push(draft);
    else {
      if (!taken.has(page.id)) await adopt(session, page, draft);
      taken.add(page.id);
      await texts.handOver(draft);
    }
  }
  session.orphanedTexts = left;
}

async function adopt(session: Adopting, page: EditorPage, draft: AbandonedDraft): Promise<void> {
  const theirs = session.notebook.pages.find(other => other.id === page.id) ?? unsentPage(page);
  const adopted = await page.saver.adopt(draft, theirs);
  if (adopted === 'nothing' || page.isNew) return;
  session.pages.currentId = page.id;
  if (adopted === 'conflict') return;
  const name = `restored ${page.id}`;
  const action = {
    label: 'Show what the server had',
    run: () => {
      session.pages.changeText(page.id, withLineFeeds(theirs.markdown));
      session.notes.show({ name, text: 'This is what the server had. Undo brings the restored text back.' });
    },
  };
  session.notes.show({ name, tone: 'good', text: restoredWords(draft), action });
}

const unsentPage = ({ id, title }: EditorPage): ApiPage => ({ id, title, markdown: '', revision: 0, updatedAt: '' });

/**
 * Does the same for a tab that seemed to be open when this one started. The person may have written on since then, so its text is merged
 * into the page as it is here, as if it were typed; what overlaps is offered separately.
 */
export async function adoptLateDrafts(session: Adopting, texts: TextKeeper, findOpenTabs: FindOpenTabs): Promise<void> {
  for (const draft of await texts.findAbandoned(findOpenTabs)) {
    if (session.orphanedTexts.some(({ pageId, tab }) => pageId === draft.pageId && tab === draft.tab)) continue;
    if (session.pages.isDeletedOffline(draft.pageId)) continue;
    if (await mergeLate(session, texts, draft)) await texts.handOver(draft);
    else session.orphanedTexts = [...session.orphanedTexts, draft];
  }
}

/** @returns whether the page now holds the draft's text */
async function mergeLate(session: Adopting, texts: TextKeeper, draft: AbandonedDraft): Promise<boolean> {
  const merging = await texts.loadMerging().catch(() => undefined);
  const page = session.pages.find(draft.pageId);
  if (!page) return false;
  if (isHeld(draft, page)) return true;
  if (!merging || draft.baseMarkdown === undefined) return false;
  const merged = mergeSent(merging, draft.baseMarkdown, draft.sent ?? [], draft.markdown, page.saver.text);
  if (merged === undefined) return false;
  session.pages.changeText(page.id, merged);
  session.notes.show({ name: `restored ${page.id}`, tone: 'good', text: restoredWords(draft) });
  return true;
}

const restoredWords = ({ changedAt }: AbandonedDraft) => `Unsaved text from ${momentWords(changedAt)} was restored.`;

/** Whether the page already has the draft's text, or the draft changed nothing. */
function isHeld(draft: AbandonedDraft, page: EditorPage): boolean {
  const { text, savedText } = page.saver;
  return [text, savedText, draft.baseMarkdown].includes(draft.markdown);
}
