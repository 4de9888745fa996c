import type { EditorPage } from '../../session/editor-page.ts';
import type { NotebookSession } from '../../session/notebook-session.ts';

/** The page that a field shows. */
export interface FieldContext {
  readonly session: NotebookSession;
  readonly page: EditorPage;
}

/** Adds one ability to the text field. @returns a function that removes it again */
export type FieldWiring = (field: HTMLTextAreaElement, context: FieldContext) => () => void;
