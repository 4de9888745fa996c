import type { VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isComposing } from '../field/formatting/key-names.ts';
import type { NotebookSession } from '../session/notebook-session.ts';
import { TypedTitles } from '../session/typed-titles.ts';
import { useSession } from '../ui/use-session.ts';
import { EditorPanes } from './editor-panes.tsx';
import { PageList } from './page-list/page-list.tsx';
import { useNarrowScreen } from './use-narrow-screen.ts';
import { type ViewMode, ViewModeSwitch, viewModes } from './view-mode-switch.tsx';

/** Page list, text and preview. Small screens show text or preview, and the page list folds away. */
export function Workspace({ session }: { session: NotebookSession }): VNode {
  useSession(session);
  const [chosen, setMode] = useState<ViewMode>('split');
  const mode = useNarrowScreen() && chosen === 'split' ? 'write' : chosen;
  const [pagesOpen, setPagesOpen] = useState(() => TypedTitles.of(session).reopen !== undefined);
  const before = useRef<ViewMode>('split');
  const choose = (next: ViewMode): void =>
    setMode(now => {
      if (next === 'focus' && now === 'focus') return before.current;
      if (now !== 'focus') before.current = now;
      return next;
    });
  useLayoutEffect(() => listenForViewModes(choose), []);
  // For the style of everything around the workspace.
  useLayoutEffect(() => {
    const { dataset } = document.documentElement;
    dataset.editing = mode;
    return () => delete dataset.editing;
  }, [mode]);
  return (
    <div class="workspace" data-view-mode={mode} data-pages-open={pagesOpen}>
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
        <ViewModeSwitch mode={mode} onMode={choose} />
      </div>
      <PageList session={session} onPick={() => setPagesOpen(false)} onShow={() => setPagesOpen(true)} />
      {/* Small screens have no room for the list, the find panel and the text. */}
      <EditorPanes session={session} onFind={() => setPagesOpen(false)} />
    </div>
  );
}

/** Compares the key's place, because with Shift each keyboard layout reports another character. */
function listenForViewModes(choose: (mode: ViewMode) => void): () => void {
  const onKey = (event: KeyboardEvent): void => {
    const mode = viewModes.find(({ key }) => event.code === `Digit${key}`)?.mode;
    const { ctrlKey, shiftKey, altKey, metaKey } = event;
    if (!mode || !ctrlKey || !shiftKey || altKey || metaKey || isComposing(event)) return;
    if (document.querySelector('dialog[open]')) return;
    event.preventDefault();
    const wasHere = document.activeElement;
    choose(mode);
    // The pane that had the focus may be hidden now.
    requestAnimationFrame(() => {
      if (wasHere instanceof HTMLElement && wasHere.clientHeight > 0) return;
      const next = mode === 'read' ? '.preview-pane[data-shown="true"]' : '#markdown-field';
      document.querySelector<HTMLElement>(next)?.focus({ preventScroll: true });
    });
  };
  document.addEventListener('keydown', onKey);
  return () => document.removeEventListener('keydown', onKey);
}
