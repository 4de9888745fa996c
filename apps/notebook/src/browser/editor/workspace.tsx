import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { Conflict } from './conflict-dialog.tsx';
import type { NotebookSession } from './notebook-session.ts';
import { PageList } from './page-list.tsx';
import { useSession } from './use-session.ts';
import { WritingDesk } from './writing-desk.tsx';

/** Pages, writing and preview. On small screens one of the last two is shown, and the pages fold away. */
export function Workspace({ session }: { session: NotebookSession }): VNode {
  useSession(session);
  const [look, setLook] = useState<'write' | 'read'>('write');
  const [pagesOpen, setPagesOpen] = useState(false);
  const page = session.current;
  return (
    <div class="workspace" data-look={look} data-pages-open={pagesOpen}>
      <div class="workspace-switch">
        <button
          type="button"
          class="button"
          aria-expanded={pagesOpen}
          aria-controls="editor-pages"
          onClick={() => setPagesOpen(!pagesOpen)}
        >
          Pages
        </button>
        <fieldset class="look-switch">
          <legend class="visually-hidden">Write or look</legend>
          <button type="button" class="button" aria-pressed={look === 'write'} onClick={() => setLook('write')}>
            Write
          </button>
          <button type="button" class="button" aria-pressed={look === 'read'} onClick={() => setLook('read')}>
            Look
          </button>
        </fieldset>
      </div>
      <PageList session={session} onPick={() => setPagesOpen(false)} />
      <WritingDesk key={page.id} session={session} page={page} />
      {page.saver.state.kind === 'conflict' && <Conflict key={page.id} page={page} theirs={page.saver.state.theirs} />}
    </div>
  );
}
