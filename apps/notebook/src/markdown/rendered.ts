/** What views and search engines are told of a page's text, found in the tree that its HTML was written from. */
export interface PageFacts {
  /** The first words as readers see them, without headings; empty when there are none. */
  readonly description: string;
  /** Whole minutes, at least one, that it takes to read. */
  readonly minutes: number;
  /** It has a line that separates one slide from the next. */
  readonly slides: boolean;
  /** The typefaces that its text needs beside the upright one. */
  readonly typefaces?: readonly Typeface[];
}

export type Typeface = 'italic' | 'mono';

/** What a page's markdown becomes. The same shape on the server and in the preview. */
export interface Rendered {
  /** Sanitized; safe to put into a page as it is. */
  readonly html: string;
  readonly headings: readonly Heading[];
  /** Absent in the preview, and where the text is shown plain: those have `plainFacts`. */
  readonly facts?: PageFacts;
  /** BCP 47, by its words; absent where they are too few, and in the preview. */
  readonly language?: string;
  /** The page runs from the right. */
  readonly direction?: 'rtl';
  /** It has a fence that the reader's browser draws as a diagram. */
  readonly diagrams?: true;
  /** Why the text is shown plain: over a bound of nesting, width, time, memory or output, or because others were before it. */
  readonly plain?: PlainReason;
  /** Formulas stand as they were written, because their engine is not loaded: see render-loaded.ts, which never answers so. */
  readonly mathMissing?: true;
}

export interface Heading {
  readonly depth: 1 | 2 | 3 | 4 | 5 | 6;
  /** The element's id, prefix included: `user-content-my-heading`. */
  readonly id: string;
  readonly text: string;
}

/** `fault`: ours, not the text's. `busy`: of the moment; it may be rendered later. */
export type PlainReason = 'nesting' | 'table-width' | 'time' | 'memory' | 'output' | 'fault' | 'busy';

export interface RenderOptions {
  /** Before every id made from the text; keeps pages apart that are shown together (print). Default `user-content-`. */
  readonly idPrefix?: string;
  /** On the server: as the body of an XHTML file of an EPUB, its ids renamed (book/book-text.ts). Default off. */
  readonly book?: boolean;
  /** Finds out which way the page as a whole runs; a preview, which draws single blocks, does not ask. Default off. */
  readonly pageDirection?: boolean;
  /** Marks blocks with `data-line` (1-based source line), for the preview's scroll sync. Default off. */
  readonly sourceLines?: boolean;
}

/** For whom a text is rendered. Looked at whenever a thread is free, so it may change while the text waits. */
export interface RenderTurn {
  /** Who pays with their turns and the threads' time: an address, a notebook. */
  payers: readonly string[];
  /** Nobody waits for it: rendered after all that somebody waits for. */
  background: boolean;
  /** Told by the renderer: it left the line, and sits in a thread. */
  seated?: boolean;
  /** Told by the renderer: a second of processor time was not enough for it. */
  late?: boolean;
  /** A newer text of the same name takes its place in the line; the older is then `busy`. */
  readonly name?: string;
}

/** The server's renderer: worker threads behind a fair, bounded line, with limits of time, memory and output. Never rejects for a text's sake. */
export interface Renderer {
  /** A text that nobody waits for and that turns out to be shown plain is answered without its words: `plainPieces` of plain.ts. */
  render(markdown: string, options?: RenderOptions, turn?: RenderTurn): Promise<Rendered>;
  /** Names everything that changes the output; part of the key under which renderings are kept. */
  readonly engine: string;
  close(): Promise<void>;
}
