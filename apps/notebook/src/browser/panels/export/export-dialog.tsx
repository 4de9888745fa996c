import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { NotebookSession } from '../../session/notebook-session.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { sentenceOf } from '../../ui/use-session.ts';
import type { ExportFormat } from './notebook-copy.ts';
import { openPrint } from './open-print.ts';
import { runExport } from './run-export.ts';

type Way = ExportFormat | 'print';

const ways: readonly { readonly way: Way; readonly name: string; readonly about: string }[] = [
  { way: 'markdown', name: 'This page as .md', about: 'The text as it stands in the field.' },
  { way: 'zip', name: 'All pages as .zip', about: 'A .md file for each page, and the images. It can be imported again.' },
  { way: 'html', name: 'All pages as one .html', about: 'To read anywhere, without this site and without a connection.' },
  { way: 'print', name: 'Print, or save as PDF', about: 'All pages with a title sheet and a table of contents.' },
];

interface Message {
  readonly words: string;
  readonly kind: '' | 'warning' | 'error';
  /** The export to offer again, if another try may succeed. */
  readonly again?: Way;
}

async function attempt(session: NotebookSession, way: Way): Promise<Message> {
  try {
    if (way === 'print') return { words: await openPrint(session), kind: '' };
    const { words, lacksImages } = await runExport(session, way);
    return lacksImages ? { words, kind: 'warning', again: way } : { words, kind: '' };
  } catch (problem) {
    return { words: sentenceOf(problem), kind: 'error' };
  }
}

export function ExportDialog({ session, onClose }: { session: NotebookSession; onClose: () => void }): VNode {
  const [message, setMessage] = useState<Message>();
  const [busy, setBusy] = useState(false);
  const run = async (way: Way): Promise<void> => {
    if (busy) return;
    setBusy(true);
    setMessage({ words: way === 'print' ? 'Saving…' : 'Making the file…', kind: '' });
    setMessage(await attempt(session, way));
    setBusy(false);
  };
  return (
    <Dialog title="Export" onClose={onClose}>
      {() => (
        <>
          <ul class="template-list">
            {ways.map(({ way, name, about }) => (
              <li key={way}>
                <button
                  type="button"
                  class="button"
                  aria-describedby={`export-${way}`}
                  aria-disabled={busy}
                  onClick={() => void run(way)}
                >
                  {name}
                </button>
                <span class="hint" id={`export-${way}`}>
                  {about}
                </span>
              </li>
            ))}
          </ul>
          <p class={`notice ${message?.kind ?? ''}`.trim()} role="status">
            {message?.words}
          </p>
          {message?.again && (
            <p class="button-row">
              <button type="button" class="button primary" onClick={() => void run(message.again!)}>
                Try again
              </button>
            </p>
          )}
        </>
      )}
    </Dialog>
  );
}
