import { createRef, type RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import type { FieldFollower } from '../field/field-follower.ts';
import type { EditorPage } from '../session/editor-page.ts';
import type { NotebookSession } from '../session/notebook-session.ts';

/** A visited page. Its field and preview stay in the document while another is shown, with undo history, caret and scroll positions. */
export interface PageEditor {
  readonly page: EditorPage;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly preview: RefObject<HTMLElement | null>;
  readonly prose: RefObject<HTMLDivElement | null>;
  /** Set once the field exists. */
  follower?: FieldFollower;
  /** Renders the session's text. Set once the preview exists. */
  showText?: (() => void) | undefined;
}

/** Limited, because each one costs a text field and a rendered page. */
const mostEditors = 12;

/** The editors of the pages visited last, including the open one. They keep the order of the first visit, so that none is moved. */
export function usePageEditors(session: NotebookSession): {
  readonly editors: readonly PageEditor[];
  readonly current: PageEditor;
} {
  const known = useRef(new Map<string, PageEditor>()).current;
  const recent = useRef<string[]>([]);
  const page = session.current;
  recent.current = [page.key, ...recent.current.filter(key => key !== page.key)].slice(0, mostEditors);
  for (const [key, editor] of known)
    if (!recent.current.includes(key) || !session.pages.all.includes(editor.page)) known.delete(key);
  const current = known.get(page.key) ?? createEditor(page);
  known.set(page.key, current);
  return { editors: [...known.values()], current };
}

function createEditor(page: EditorPage): PageEditor {
  return { page, field: createRef(), preview: createRef(), prose: createRef() };
}
