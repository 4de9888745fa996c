import type { VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isPressed } from '../field/formatting/key-names.ts';
import { UploadList } from '../field/images/upload-list.tsx';
import { untitled } from '../session/name-untitled.ts';
import type { NotebookSession } from '../session/notebook-session.ts';
import { LazyPart } from '../ui/lazy-part.tsx';
import { Divider } from './divider.tsx';
import { EditorField } from './editor-field.tsx';
import { EmojiNames } from './emoji-names.tsx';
import { PreviewPane } from './preview-pane.tsx';
import { canColor, colorsChosen, keepColors } from './source-colors.ts';
import { findShortcut, Toolbar } from './toolbar/toolbar.tsx';
import { usePageEditors } from './use-page-editors.ts';
import { WordCount } from './word-count.tsx';

/** Text and preview of the open page. The pages visited before stay mounted behind it. */
export function EditorPanes({ session, onFind }: { session: NotebookSession; onFind: () => void }): VNode {
  const { editors, current } = usePageEditors(session);
  const field = useRef<HTMLTextAreaElement>(null);
  const panes = useRef<HTMLDivElement>(null);
  // How often find was requested since the panel was closed.
  const [finding, setFinding] = useState(0);
  const [colored, setColored] = useState(colorsChosen);
  const choose = (chosen: boolean): void => {
    keepColors(chosen);
    setColored(chosen);
  };
  const find = (): void => {
    // Keys typed before the panel appears must not go into the text.
    field.current?.blur();
    setFinding(before => before + 1);
    onFind();
  };
  useLayoutEffect(() => {
    // Elsewhere, or pressed again in the panel, the key opens the browser's own search, which also covers the preview.
    const onKey = (event: KeyboardEvent): void => {
      if (!isPressed(findShortcut, event) || document.activeElement !== field.current) return;
      event.preventDefault();
      find();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return (
    <main id="main" class="page-editor" tabIndex={-1}>
      <h1 class="visually-hidden">{`Editing ${session.notebook.title === untitled ? 'a new notebook' : session.notebook.title}`}</h1>
      <div class="editor-bar">
        <Toolbar session={session} field={field} onFind={find} colors={canColor() ? { colored, choose } : undefined} />
      </div>
      <div class="editor-panes" ref={panes}>
        <div class="writing">
          {finding > 0 && (
            <LazyPart
              load={async () => (await import('./find/find-panel.tsx')).FindPanel}
              props={{ session, field, asked: finding, onClose: () => setFinding(0) }}
              onDismiss={() => setFinding(0)}
            />
          )}
          <div class="fields">
            {editors.map(editor => (
              <EditorField
                key={editor.page.key}
                session={session}
                editor={editor}
                shown={editor === current}
                colored={colored}
                shownField={field}
              />
            ))}
          </div>
          <EmojiNames field={field} />
          <p class="field-keys hint">
            <span id="field-keys">
              <kbd>Tab</kbd> indents. <kbd>Esc</kbd>, then <kbd>Tab</kbd> leaves the text.
            </span>
            <WordCount session={session} />
          </p>
        </div>
        <Divider panes={panes} />
        <div class="preview-panes">
          {editors.map(editor => (
            <PreviewPane key={editor.page.key} editor={editor} paper={session.notebook.paper} shown={editor === current} />
          ))}
        </div>
      </div>
      <UploadList session={session} />
    </main>
  );
}
