import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { AddPageDialog } from './add-page-dialog.tsx';
import { DeletePageDialog } from './delete-page-dialog.tsx';
import type { NotebookSession } from './notebook-session.ts';
import { PageRow } from './page-row.tsx';
import { sentenceOf, useSession } from './use-session.ts';

interface PageListProps {
  readonly session: NotebookSession;
  readonly onPick: () => void;
}

export function PageList({ session, onPick }: PageListProps): VNode {
  useSession(session);
  const [dialog, setDialog] = useState<'add' | 'delete'>();
  const [said, setSaid] = useState('');
  const attempt = async (action: () => Promise<void>, done: string): Promise<void> => {
    try {
      await action();
      setSaid(done);
    } catch (problem) {
      setSaid(sentenceOf(problem));
    }
  };
  const { current } = session;
  return (
    <nav class="page-list" id="editor-pages" aria-label="Pages">
      <ol>
        {session.pages.map((page, place) => (
          <PageRow
            key={page.id}
            page={page}
            current={page === current}
            first={place === 0}
            visitor={session.isVisitor}
            last={place === session.pages.length - 1}
            onPick={() => {
              session.select(page.id);
              onPick();
            }}
            onMove={by => attempt(() => session.movePage(page.id, by), `${page.title} moved ${by < 0 ? 'up' : 'down'}.`)}
            onRename={title => attempt(() => session.renamePage(page.id, title), `Renamed to ${title}.`)}
            onDelete={() => setDialog('delete')}
          />
        ))}
      </ol>
      <button type="button" class="button add-page" onClick={() => setDialog('add')}>
        Add page
      </button>
      <p class="hint page-list-said" role="status">
        {said}
      </p>
      {dialog === 'add' && (
        <AddPageDialog
          onClose={() => setDialog(undefined)}
          onAdd={markdown => attempt(() => session.addPage(markdown), 'Page added.')}
        />
      )}
      {dialog === 'delete' && (
        <DeletePageDialog
          title={current.title}
          onClose={() => setDialog(undefined)}
          onDelete={() => attempt(() => session.deletePage(current.id), `${current.title} was deleted.`)}
        />
      )}
    </nav>
  );
}
