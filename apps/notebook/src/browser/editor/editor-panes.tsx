import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { UploadList } from '../field/images/upload-list.tsx';
import type { NotebookSession } from '../session/notebook-session.ts';
import { Divider } from './divider.tsx';
import { EditorField } from './editor-field.tsx';
import { PreviewPane } from './preview-pane.tsx';
import { Toolbar } from './toolbar/toolbar.tsx';
import { usePageEditors } from './use-page-editors.ts';
import { WordCount } from './word-count.tsx';

/** The text of one page and how it will look; the pages visited before stay mounted behind it. */
export function EditorPanes({ session }: { session: NotebookSession }): VNode {
  const { editors, current } = usePageEditors(session);
  const field = useRef<HTMLTextAreaElement>(null);
  const panes = useRef<HTMLDivElement>(null);
  return (
    <main id="main" class="page-editor" tabIndex={-1}>
      <h1 class="visually-hidden">{`Editing ${session.notebook.title}`}</h1>
      <div class="editor-bar">
        <Toolbar session={session} field={field} />
      </div>
      <div class="editor-panes" ref={panes}>
        <div class="writing">
          <div class="fields">
            {editors.map(editor => (
              <EditorField key={editor.page.id} session={session} editor={editor} shown={editor === current} shownField={field} />
            ))}
          </div>
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
            <PreviewPane key={editor.page.id} editor={editor} paper={session.notebook.paper} shown={editor === current} />
          ))}
        </div>
      </div>
      <UploadList session={session} />
    </main>
  );
}
