import type { ApiNotebook, ApiPage } from '../../api/types.ts';
import type { NotebookApi } from '../api/notebook-api.ts';
import type { Autosave } from './autosave.ts';

export interface OpenPagesParts {
  readonly api: () => NotebookApi;
  readonly notebook: () => ApiNotebook;
  /** Looks after the text of a page from now on. */
  readonly watch: (page: ApiPage, idOf: () => string) => Autosave;
  readonly forgetDraft: (pageId: string) => void;
  /** The page has another id from now on. */
  readonly moveDraft: (from: string, to: string) => void;
  readonly onOrder: (notebook: ApiNotebook) => void;
  readonly onSaved: (saved: ApiPage) => void;
  /** A page is gone from the server, with its text. */
  readonly onRoom: () => void;
  readonly onChange: () => void;
  readonly say: (note: { name: string; text: string }) => void;
  readonly dismiss: (name: string) => void;
  readonly slug: string;
  readonly tab: string;
  /** Whether what is done to the list without a network may wait on this device. */
  readonly mayWait: () => boolean;
  /** Looks at what the server has now. */
  readonly look: () => Promise<void>;
}
