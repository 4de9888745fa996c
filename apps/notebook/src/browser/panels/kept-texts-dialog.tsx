import type { VNode } from 'preact';
import type { NotebookSession } from '../session/notebook-session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { useSession } from '../ui/use-session.ts';
import { type KeptText, KeptTexts } from './kept-texts.tsx';

/** Texts that this device keeps and that are in none of the notebook's pages. */
export function KeptTextsDialog({ session, onClose }: { session: NotebookSession; onClose: () => void }): VNode {
  useSession(session);
  return (
    <Dialog title="Text kept on this device" wide onClose={onClose}>
      {close => <KeptTexts texts={textsOf(session, close)} />}
    </Dialog>
  );
}

function textsOf(session: NotebookSession, close: () => void): KeptText[] {
  if (session.lost) {
    return session.pages.all.map(page => ({ key: page.id, title: page.name, markdown: page.saver.text }));
  }
  return session.orphanedTexts.map(left => ({
    key: `${left.pageId}/${left.tab}`,
    title: left.title,
    markdown: left.markdown,
    changedAt: left.changedAt,
    onAdd: async () => {
      await session.pages.add({ markdown: left.markdown });
      await session.dropOrphanedText(left, 'handed over');
      if (session.orphanedTexts.length === 0) close();
    },
    onDiscard: async () => {
      await session.dropOrphanedText(left, 'discarded');
      if (session.orphanedTexts.length === 0) close();
    },
  }));
}
