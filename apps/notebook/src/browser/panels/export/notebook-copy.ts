import type { Drawings } from './drawings.ts';

/** The input of an export: the texts as they are on the screen, unsaved words included. */
export interface NotebookCopy {
  readonly title: string;
  readonly pages: readonly PageCopy[];
  /** The notebook's images that could be fetched. */
  readonly images: readonly ImageCopy[];
}

export interface PageCopy {
  readonly id: string;
  readonly title: string;
  readonly markdown: string;
  /** The file the page was imported from. */
  readonly file?: { readonly path: string; readonly patch: string } | undefined;
}

export interface ImageCopy {
  readonly url: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

export type ExportFormat = 'markdown' | 'zip' | 'html';

export interface ExportRequest {
  readonly format: ExportFormat;
  readonly notebook: NotebookCopy;
  /** Milliseconds since 1970 UTC. */
  readonly now: number;
}

export interface MadeExport {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Imported files with missing parts, because their pages were changed there. */
  readonly incomplete: readonly string[];
}

export type ExportQuestion =
  | { readonly kind: 'make'; readonly request: ExportRequest }
  | { readonly kind: 'drawn'; readonly drawings: Drawings };

export type ExportAnswer =
  | { readonly kind: 'draw'; readonly sources: readonly string[] }
  | { readonly kind: 'made'; readonly made: MadeExport };
