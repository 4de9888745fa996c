import type { EditorPage } from '../../session/editor-page.ts';
import type { NotebookSession } from '../../session/notebook-session.ts';

/** One page at the desk. */
export interface FieldContext {
  readonly session: NotebookSession;
  readonly page: EditorPage;
}

/** Gives the writing field one more ability; what it answers takes it away again. */
export type FieldWiring = (field: HTMLTextAreaElement, context: FieldContext) => () => void;
