import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { Dialog } from '../editor/dialog.tsx';
import type { NotebookSession } from '../editor/notebook-session.ts';
import { sentenceOf } from '../editor/use-session.ts';
import type { ExportFormat } from './notebook-copy.ts';
import { runExport } from './run-export.ts';

const formats: readonly { readonly format: ExportFormat; readonly name: string; readonly about: string }[] = [
  { format: 'markdown', name: 'This page as .md', about: 'The text as it stands in the field.' },
  { format: 'zip', name: 'All pages as .zip', about: 'A .md file for each page, and the images. It can be imported again.' },
  { format: 'html', name: 'All pages as one .html', about: 'To read anywhere, without this site and without a connection.' },
];

export function ExportDialog({ session, onClose }: { session: NotebookSession; onClose: () => void }): VNode {
  const [said, setSaid] = useState<{ words: string; bad: boolean }>();
  const [busy, setBusy] = useState(false);
  const run = async (format: ExportFormat): Promise<void> => {
    if (busy) return;
    setBusy(true);
    setSaid({ words: 'Making the file…', bad: false });
    try {
      setSaid({ words: await runExport(session, format), bad: false });
    } catch (problem) {
      setSaid({ words: sentenceOf(problem), bad: true });
    }
    setBusy(false);
  };
  return (
    <Dialog title="Export" onClose={onClose}>
      {() => (
        <>
          <ul class="template-list">
            {formats.map(({ format, name, about }) => (
              <li key={format}>
                <button
                  type="button"
                  class="button"
                  aria-describedby={`export-${format}`}
                  aria-disabled={busy}
                  onClick={() => void run(format)}
                >
                  {name}
                </button>
                <span class="hint" id={`export-${format}`}>
                  {about}
                </span>
              </li>
            ))}
          </ul>
          <p class={said?.bad ? 'notice error' : 'notice'} role="status">
            {said?.words}
          </p>
        </>
      )}
    </Dialog>
  );
}
