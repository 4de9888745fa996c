import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { type Look, LookSwitch } from './look-switch.tsx';
import type { NotebookSession } from './notebook-session.ts';
import { PageList } from './page-list.tsx';
import { useNarrow } from './use-narrow.ts';
import { useSession } from './use-session.ts';
import { WritingDesk } from './writing-desk.tsx';

/** Pages, writing and preview. On small screens one of the last two is shown, and the pages fold away. */
export function Workspace({ session }: { session: NotebookSession }): VNode {
  useSession(session);
  const [chosen, setLook] = useState<Look>('split');
  const look = useNarrow() && chosen === 'split' ? 'write' : chosen;
  const [pagesOpen, setPagesOpen] = useState(false);
  return (
    <div class="workspace" data-look={look} data-pages-open={pagesOpen}>
      <div class="workspace-switch">
        <button
          type="button"
          class="button pages-button"
          aria-expanded={pagesOpen}
          aria-controls="editor-pages"
          onClick={() => setPagesOpen(!pagesOpen)}
        >
          Pages
        </button>
        <LookSwitch look={look} onLook={setLook} />
      </div>
      <PageList session={session} onPick={() => setPagesOpen(false)} />
      <WritingDesk session={session} />
    </div>
  );
}
