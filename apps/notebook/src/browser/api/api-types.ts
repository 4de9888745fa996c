import type { Lifecycle, Paper, Visibility } from '../../model/notebook.ts';

/** A page as the API answers it. */
export interface ApiPage {
  readonly id: string;
  readonly title: string;
  readonly markdown: string;
  readonly revision: number;
  readonly updatedAt: string;
}

/** A notebook as the API answers it to its owner. Times are RFC 3339. */
export interface ApiNotebook {
  readonly slug: string;
  readonly title: string;
  readonly visibility: Visibility;
  readonly expiresAt: string | null;
  readonly readOnly: boolean;
  readonly burnAfterRead: boolean;
  /** With the edit token only, like `hasPassword`. */
  readonly openedAt?: string | null;
  readonly openEditing: boolean;
  readonly comments: boolean;
  readonly paper: Paper;
  readonly hasPassword?: boolean;
  readonly embedding?: boolean;
  readonly lifecycle: Lifecycle;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly pages: readonly ApiPage[];
}

export interface ApiCreated {
  readonly notebook: ApiNotebook;
  readonly editToken: string;
  readonly viewUrl: string;
  readonly editUrl: string;
}

export interface ApiSnapshot {
  readonly id: string;
  readonly revision: number;
  readonly createdAt: string;
  readonly bytes: number;
  readonly title?: string;
  readonly markdown?: string;
}

export interface ApiComment {
  readonly id: string;
  readonly author: string;
  readonly body: string;
  readonly pageId: string | null;
  readonly createdAt: string;
}

/** Of an image that was just uploaded; the list adds when. */
export interface ApiStoredImage {
  readonly id: string;
  readonly url: string;
  readonly markdown: string;
  readonly bytes: number;
  readonly width: number;
  readonly height: number;
}

export interface ApiImage extends ApiStoredImage {
  readonly createdAt: string;
}

export interface ApiSlugState {
  readonly slug: string;
  readonly available: boolean;
  readonly reason?: 'taken' | 'reserved' | 'invalid';
}

export type NotebookChange = Partial<
  Pick<
    ApiNotebook,
    'title' | 'visibility' | 'expiresAt' | 'readOnly' | 'burnAfterRead' | 'openEditing' | 'embedding' | 'comments' | 'paper'
  >
> & { expiresIn?: string; password?: string | null; pageOrder?: readonly string[] };
