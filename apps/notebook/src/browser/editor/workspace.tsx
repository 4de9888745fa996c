import type { VNode } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import type { NotebookSession } from '../session/notebook-session.ts';
import { useSession } from '../ui/use-session.ts';
import { type Look, LookSwitch, looks } from './look-switch.tsx';
import { PageList } from './page-list/page-list.tsx';
import { useNarrow } from './use-narrow.ts';
import { WritingDesk } from './writing-desk.tsx';

/** Pages, writing and preview. On small screens one of the last two is shown, and the pages fold away. */
export function Workspace({ session }: { session: NotebookSession }): VNode {
  useSession(session);
  const [chosen, setLook] = useState<Look>('split');
  const look = useNarrow() && chosen === 'split' ? 'write' : chosen;
  const [pagesOpen, setPagesOpen] = useState(false);
  useLayoutEffect(() => listenForLooks(setLook), []);
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

/** By the place of the key: with Shift held, each layout writes another sign. */
function listenForLooks(choose: (look: Look) => void): () => void {
  const onKey = (event: KeyboardEvent): void => {
    const look = looks.find(({ key }) => event.code === `Digit${key}`)?.look;
    const { ctrlKey, shiftKey, altKey, metaKey } = event;
    if (!look || !ctrlKey || !shiftKey || altKey || metaKey || document.querySelector('dialog[open]')) return;
    event.preventDefault();
    const wasHere = document.activeElement;
    choose(look);
    // The pane that had the focus may be gone now.
    requestAnimationFrame(() => {
      if (wasHere instanceof HTMLElement && wasHere.clientHeight > 0) return;
      const next = look === 'read' ? '.looking[data-shown="true"]' : '#markdown-field';
      document.querySelector<HTMLElement>(next)?.focus({ preventScroll: true });
    });
  };
  document.addEventListener('keydown', onKey);
  return () => document.removeEventListener('keydown', onKey);
}
