import type { RefObject, VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { FieldFollower } from '../field/field-follower.ts';
import { fieldWirings } from '../field/field-wirings.ts';
import { hasNoTitle } from '../session/name-untitled.ts';
import type { NotebookSession } from '../session/notebook-session.ts';
import { colorSource } from './source-colors.ts';
import { directionOf } from './text-direction.ts';
import type { PageEditor } from './use-page-editors.ts';

interface EditorFieldProps {
  readonly session: NotebookSession;
  readonly editor: PageEditor;
  readonly shown: boolean;
  readonly colored: boolean;
  /** Code that acts on "the field" uses this one. */
  readonly shownField: RefObject<HTMLTextAreaElement | null>;
}

/** A plain `textarea`, so that the browser's undo, spelling and input methods work. */
export function EditorField({ session, editor, shown, colored, shownField }: EditorFieldProps): VNode {
  const { page } = editor;
  // Kept from the first render: a default that changed at every key would be written to the document each time.
  const [firstText] = useState(page.saver.text);
  const undone = useRef(false);
  useLayoutEffect(() => {
    if (!shown) return;
    shownField.current = editor.field.current;
    // Changes made while another page was shown go in now, as if typed: only a visible field can be typed into.
    takeText(editor);
    if (undone.current) editor.field.current?.focus();
    undone.current = false;
  }, [shown]);
  // Runs after the changed text was taken.
  useLayoutEffect(() => (shown && colored ? colorSource(editor.field.current!) : undefined), [shown, colored]);
  const follow = (): void => {
    undone.current = true;
    session.pages.select(page.id);
  };
  // A layout effect: by the next frame the writer may have typed.
  useLayoutEffect(() => wireField(session, editor, follow), []);
  return (
    <div class="editor-field" data-shown={shown}>
      <textarea
        ref={editor.field}
        id={shown ? 'markdown-field' : undefined}
        class="markdown-field"
        dir={directionOf(firstText)}
        spellcheck
        placeholder="Write here. The first heading becomes the title."
        defaultValue={firstText}
        readOnly={session.notebook.readOnly}
        aria-label={`Markdown of ${hasNoTitle(page) ? 'this page' : page.title}`}
        aria-describedby="field-keys"
      />
    </div>
  );
}

const ends = ['focusin', 'focusout', 'close'] as const;

function wireField(session: NotebookSession, editor: PageEditor, follow: () => void): () => void {
  const field = editor.field.current!;
  const { page } = editor;
  const follower = new FieldFollower(field, { session, page });
  editor.follower = follower;
  const onInput = (): void => {
    const text = follower.typed();
    setDirection(field, text);
    page.saver.change(text);
    editor.showText?.();
    // Chromium and WebKit keep one history for all fields. We show the page that an undo changed, so that it is never changed unseen.
    if (session.current !== page) follow();
  };
  // A merge, another tab, a restored snapshot or the other side of a conflict can change the text from outside.
  const take = (): unknown => session.current === page && takeText(editor);
  const unlisten = session.listen(take);
  // The change waits while the person types in another field or answers a dialog.
  const later = (): unknown => setTimeout(take);
  for (const kind of ends) document.addEventListener(kind, later, true);
  field.addEventListener('input', onInput);
  const unwire = fieldWirings.map(wire => wire(field, { session, page }));
  return () => {
    unlisten();
    for (const kind of ends) document.removeEventListener(kind, later, true);
    follower.end();
    for (const end of unwire) end();
    field.removeEventListener('input', onInput);
  };
}

function takeText({ field: { current: field }, follower, page }: PageEditor): void {
  // A field without an id is not shown; it takes the text when it is.
  if (!field || field.id === '') return;
  // Before the text, because the colored copy takes both.
  setDirection(field, page.saver.text);
  follower?.take();
}

function setDirection(field: HTMLTextAreaElement, text: string): void {
  const direction = directionOf(text);
  if (field.dir !== direction) field.dir = direction;
}
