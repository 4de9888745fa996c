import { createRef, type RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import type { FieldFollower } from '../field/field-follower.ts';
import type { EditorPage } from '../session/editor-page.ts';
import type { NotebookSession } from '../session/notebook-session.ts';

/** One visited page: its field and its preview stay in the document, with undo history, caret and places, while another is shown. */
export interface PageDesk {
  readonly page: EditorPage;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly looking: RefObject<HTMLElement | null>;
  readonly pane: RefObject<HTMLDivElement | null>;
  /** Once its field is there. */
  follower?: FieldFollower;
}

/** Each costs a text field and a rendered page. */
const mostDesks = 12;

/** The desks of the pages visited last, the open one among them; in the order of the first visit, so that none is moved. */
export function useDesks(session: NotebookSession): { readonly desks: readonly PageDesk[]; readonly current: PageDesk } {
  const known = useRef(new Map<string, PageDesk>()).current;
  const recent = useRef<string[]>([]);
  const page = session.current;
  recent.current = [page.id, ...recent.current.filter(id => id !== page.id)].slice(0, mostDesks);
  for (const [id, desk] of known) if (!recent.current.includes(id) || !session.pages.all.includes(desk.page)) known.delete(id);
  const current = known.get(page.id) ?? createDesk(page);
  known.set(page.id, current);
  return { desks: [...known.values()], current };
}

function createDesk(page: EditorPage): PageDesk {
  return { page, field: createRef(), looking: createRef(), pane: createRef() };
}
