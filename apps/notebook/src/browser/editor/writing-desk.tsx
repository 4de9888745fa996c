import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PlainReason } from '../../markdown/rendered.ts';
import { fieldWirings } from './field-wirings.ts';
import type { EditorPage, NotebookSession } from './notebook-session.ts';
import { Preview } from './preview.ts';
import { replaceAll } from './text-edit.ts';
import { Toolbar } from './toolbar.tsx';

/** The text of one page and how it will look. The field is the browser's own: undo, spelling and input methods just work. */
export function WritingDesk({ session, page }: { session: NotebookSession; page: EditorPage }): VNode {
  const field = useRef<HTMLTextAreaElement>(null);
  const pane = useRef<HTMLDivElement>(null);
  const [plain, setPlain] = useState<PlainReason>();
  useEffect(() => writeInto(field.current!, pane.current!, { session, page, setPlain }), [page]);
  return (
    <>
      <main id="main" class="writing" tabIndex={-1}>
        <h1 class="visually-hidden">{`Editing ${session.notebook.title}`}</h1>
        <Toolbar field={field} />
        <label class="visually-hidden" for="markdown-field">
          {`Markdown of ${page.title}`}
        </label>
        <textarea
          ref={field}
          id="markdown-field"
          class="markdown-field"
          dir="auto"
          spellcheck
          defaultValue={page.saver.text}
          readOnly={session.notebook.readOnly}
          aria-describedby="field-keys"
        />
        <p class="field-keys hint" id="field-keys">
          <kbd>Tab</kbd> indents. <kbd>Esc</kbd>, then <kbd>Tab</kbd> leaves the text.
        </p>
      </main>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a pane that scrolls must be reachable by keyboard */}
      <section class={`looking sheet paper-${session.notebook.paper}`} aria-label="Preview" tabIndex={0}>
        {plain && (
          <p class="notice warning">This page is too deep, wide or large to be rendered; readers see it as plain text.</p>
        )}
        <div class="prose" ref={pane} />
      </section>
    </>
  );
}

interface DeskParts {
  readonly session: NotebookSession;
  readonly page: EditorPage;
  readonly setPlain: (reason: PlainReason | undefined) => void;
}

function writeInto(field: HTMLTextAreaElement, pane: HTMLElement, { session, page, setPlain }: DeskParts): () => void {
  const preview = new Preview(pane, setPlain);
  preview.show(page.saver.text);
  const onInput = (): void => {
    page.saver.change(field.value);
    preview.show(field.value);
  };
  // A restored snapshot or the other side of a conflict changes the text from outside; it goes in as if typed, so it can be undone.
  const unlisten = session.listen(() => {
    if (field.value !== page.saver.text) replaceAll(field, page.saver.text);
  });
  field.addEventListener('input', onInput);
  const unwire = fieldWirings.map(wire => wire(field, { session, page }));
  return () => {
    unlisten();
    for (const end of unwire) end();
    field.removeEventListener('input', onInput);
    preview.close();
  };
}
