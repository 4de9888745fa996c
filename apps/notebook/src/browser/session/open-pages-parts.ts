import type { ApiNotebook, ApiPage } from '../../api/types.ts';
import type { NotebookApi } from '../api/notebook-api.ts';
import type { Autosave } from './autosave.ts';
import type { SessionNote } from './session-notes.ts';

export interface OpenPagesParts {
  readonly api: () => NotebookApi;
  readonly notebook: () => ApiNotebook;
  /** Starts saving the text of a page. */
  readonly watch: (page: ApiPage, idOf: () => string) => Autosave;
  readonly forgetDraft: (pageId: string) => void;
  /** Moves a draft to the page's new id. */
  readonly moveDraft: (from: string, to: string) => void;
  readonly onOrder: (notebook: ApiNotebook) => void;
  readonly onSaved: (saved: ApiPage) => void;
  /** Told when a page was deleted on the server, which frees space for other text. */
  readonly onSpaceFreed: () => void;
  readonly onChange: () => void;
  readonly showNote: (note: SessionNote) => void;
  readonly dismiss: (name: string) => void;
  readonly slug: string;
  readonly tab: string;
  /** Whether offline changes to the list of pages may wait on this device. */
  readonly canKeepOffline: () => boolean;
  /** Gives the notebook its title. */
  readonly saveTitle: (title: string) => Promise<void>;
  /** Reads the notebook from the server. */
  readonly refresh: () => Promise<void>;
}
