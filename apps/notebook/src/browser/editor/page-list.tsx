import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { AddPageDialog } from './add-page-dialog.tsx';
import { DeletedNotices } from './deleted-notices.tsx';
import type { NotebookSession } from './notebook-session.ts';
import { PageActs } from './page-acts.ts';
import { usePageDrag } from './page-drag.ts';
import { pageListKeys } from './page-list-keys.ts';
import { PageRow } from './page-row.tsx';
import { useSession } from './use-session.ts';

interface PageListProps {
  readonly session: NotebookSession;
  readonly onPick: () => void;
}

export function PageList({ session, onPick }: PageListProps): VNode {
  useSession(session);
  const list = useRef<HTMLOListElement>(null);
  const [adding, setAdding] = useState(false);
  const [renaming, setRenaming] = useState<string>();
  const [said, setSaid] = useState('');
  const acts = new PageActs(session, setSaid, () => list.current);
  usePageDrag(list, !session.isVisitor, (from, to) => void acts.move(session.pages[from]!.id, to));
  const onKeyDown = pageListKeys(session, acts, setRenaming);
  return (
    <nav class="page-list" id="editor-pages" aria-label="Pages" onKeyDown={onKeyDown}>
      <p class="visually-hidden" id="page-keys">
        Arrow keys go through the pages. F2 renames a page.
        {!session.isVisitor && ' Alt with an arrow key moves it, Delete deletes it.'}
      </p>
      <ol ref={list} aria-describedby="page-keys">
        {session.pages.map((page, place) => (
          <PageRow
            key={page.id}
            page={page}
            current={page === session.current}
            renaming={renaming === page.id}
            first={place === 0}
            last={place === session.pages.length - 1}
            visitor={session.isVisitor}
            onPick={() => {
              session.select(page.id);
              onPick();
            }}
            onMove={by => void acts.move(page.id, place + by)}
            onStartRename={() => setRenaming(page.id)}
            onRename={title => {
              setRenaming(undefined);
              if (title !== undefined) void acts.rename(page, title);
              acts.focus(page.id);
            }}
            onDuplicate={() => void acts.duplicate(page)}
            onDelete={() => acts.remove(page)}
          />
        ))}
      </ol>
      <DeletedNotices session={session} onUndo={page => acts.undoDelete(page)} />
      <button type="button" class="button add-page" onClick={() => setAdding(true)}>
        Add page
      </button>
      <p class="hint page-list-said" role="status">
        {session.deleteFault || said}
      </p>
      {adding && (
        <AddPageDialog
          onClose={() => setAdding(false)}
          onAdd={markdown => acts.attempt(() => session.addPage({ markdown }), 'Page added.')}
        />
      )}
    </nav>
  );
}
