import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { AddPageDialog } from '../../panels/add-page-dialog.tsx';
import { useDroppedFiles } from '../../panels/import/dropped-files.ts';
import type { EditorPage } from '../../session/editor-page.ts';
import type { NotebookSession } from '../../session/notebook-session.ts';
import { LazyPart } from '../../ui/lazy-part.tsx';
import { useSession } from '../../ui/use-session.ts';
import { DeletedNotices } from './deleted-notices.tsx';
import { PageListActions } from './page-actions.ts';
import { usePageDrag } from './page-drag.ts';
import { listenForRename, pageListKeys } from './page-list-keys.ts';
import { givenTitle } from './page-name.ts';
import { PageRow } from './page-row.tsx';
import { useUnsavedTitles } from './unsaved-titles.ts';

interface PageListProps {
  readonly session: NotebookSession;
  readonly onPick: () => void;
  /** Unfolds the list on a small screen. */
  readonly onShow: () => void;
}

type Panel = { readonly kind: 'import'; readonly files?: readonly File[] } | { readonly kind: 'export' };

const loadImport = async () => (await import('../../panels/import/import-dialog.tsx')).ImportDialog;
const loadExport = async () => (await import('../../panels/export/export-dialog.tsx')).ExportDialog;

export function PageList({ session, onPick, onShow }: PageListProps): VNode {
  useSession(session);
  const nav = useRef<HTMLElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const [adding, setAdding] = useState(false);
  /** The page's key, because the id of a page added offline may change while its title is being typed. */
  const [renaming, setRenaming] = useState<string>();
  const wanted = useUnsavedTitles(session);
  /** The page whose form is open again as a closed window left it. Escape gives those words up. */
  const reopened = useRef<string>(undefined);
  useLayoutEffect(() => {
    reopened.current = wanted.takeReopened()?.key;
    if (reopened.current !== undefined) setRenaming(reopened.current);
  }, []);
  /** Has the focus again after renaming, if it was in the toolbar. */
  const renamedFrom = useRef<HTMLElement>(undefined);
  useLayoutEffect(
    () =>
      listenForRename(session, (page, from) => {
        renamedFrom.current = list.current?.contains(from) ? undefined : from;
        onShow();
        setRenaming(page.key);
      }),
    [session],
  );
  const [panel, setPanel] = useState<Panel>();
  const closePanel = (): void => setPanel(undefined);
  const [message, setMessage] = useState({ words: '', bad: false });
  const acts = new PageListActions(
    session,
    (words, bad = false) => setMessage({ words, bad }),
    () => list.current,
  );
  const rename = async (page: EditorPage, title: string): Promise<void> => {
    const done = title === givenTitle(page) || (await acts.rename(page, title));
    wanted.keep(page, done ? undefined : title);
  };
  const open = (): void => {
    // On a small screen the list folds away, as for a page that was picked.
    onPick();
    writeNext();
  };
  const fault = session.pages.deleteFault || (message.bad ? message.words : '');
  usePageDrag(list, !session.isVisitor, (from, to) => void acts.move(session.pages.all[from]!.id, to));
  useDroppedFiles(nav, files => !session.notebook.readOnly && setPanel({ kind: 'import', files }));
  useEffect(() => showCurrent(list.current), [session.pages.currentId]);
  const onKeyDown = pageListKeys(session, acts);
  return (
    <nav ref={nav} class="page-list" id="editor-pages" aria-label="Pages" onKeyDown={onKeyDown}>
      <p class="visually-hidden" id="page-keys">
        Arrow keys go through the pages. F2 renames a page.
        {!session.isVisitor && ' Alt with an arrow key moves it, Delete deletes it.'}
      </p>
      <ol ref={list} aria-describedby="page-keys">
        {session.pages.all.map((page, place) => (
          <PageRow
            key={page.key}
            page={page}
            current={page === session.current}
            renaming={renaming === page.key}
            wantedTitle={wanted.of(page)}
            first={place === 0}
            last={place === session.pages.all.length - 1}
            visitor={session.isVisitor}
            onPick={() => {
              session.pages.select(page.id);
              onPick();
            }}
            onMove={by => void acts.move(page.id, place + by)}
            onStartRename={() => {
              renamedFrom.current = undefined;
              setRenaming(page.key);
            }}
            onRename={title => {
              setRenaming(undefined);
              if (title !== undefined) void rename(page, title);
              else if (reopened.current === page.key) wanted.keep(page, undefined);
              reopened.current = undefined;
              if (renamedFrom.current?.checkVisibility()) renamedFrom.current.focus();
              else acts.focus(page);
              renamedFrom.current = undefined;
            }}
            onTypeTitle={title => wanted.keep(page, title)}
            onLeaveRename={title => wanted.keep(page, title)}
            onDuplicate={() => void acts.duplicate(page)}
            onDelete={() => acts.remove(page)}
            onLoseFocus={row => acts.focusNeighbor(page, row)}
          />
        ))}
      </ol>
      <DeletedNotices session={session} onUndo={page => acts.undoDelete(page)} />
      <div class="page-list-buttons">
        <button type="button" class="button add-page" onClick={() => setAdding(true)}>
          Add page
        </button>
        <button type="button" class="button quiet" onClick={() => setPanel({ kind: 'import' })}>
          Import…
        </button>
        <button type="button" class="button quiet" onClick={() => setPanel({ kind: 'export' })}>
          Export…
        </button>
      </div>
      <p class={fault ? 'notice error page-list-said' : 'visually-hidden page-list-said'} role="status">
        {fault || message.words}
      </p>
      {panel?.kind === 'import' && (
        <LazyPart load={loadImport} props={{ session, files: panel.files, onClose: closePanel }} onDismiss={closePanel} />
      )}
      {panel?.kind === 'export' && <LazyPart load={loadExport} props={{ session, onClose: closePanel }} onDismiss={closePanel} />}
      {adding && (
        <AddPageDialog
          onClose={() => setAdding(false)}
          onAdd={markdown => acts.attempt(() => session.pages.add({ markdown }).then(open), 'Page added.')}
        />
      )}
    </nav>
  );
}

/** Does not use `scrollIntoView`, which would also move the starting point of Tab and scroll the window. */
function showCurrent(list: HTMLElement | null): void {
  const row = list?.querySelector<HTMLElement>('[data-current]');
  if (!list || !row) return;
  const below = row.offsetTop + row.offsetHeight - list.clientHeight;
  if (list.scrollTop > row.offsetTop) list.scrollTop = row.offsetTop;
  else if (list.scrollTop < below) list.scrollTop = below;
}

/** Focuses the field of a new page, because the person wants to write in it. It is rendered only in the next frame. */
function writeNext(): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>('#markdown-field')?.focus());
}
