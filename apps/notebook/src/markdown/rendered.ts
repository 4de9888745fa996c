/** Facts about a page's text for views and search engines, taken from the tree of its HTML. */
export interface PageFacts {
  /** The first words as readers see them, without headings. Empty if there are none. */
  readonly description: string;
  /** Reading time in whole minutes, at least one. */
  readonly minutes: number;
  /** Whether it has a line that separates slides. */
  readonly slides: boolean;
  /** The typefaces that its text needs besides the upright one. */
  readonly typefaces?: readonly Typeface[];
}

export type Typeface = 'italic' | 'mono';

/** The result of rendering a page's Markdown, the same type on the server and in the preview. */
export interface Rendered {
  /** Sanitized and safe to put into a page as it is. */
  readonly html: string;
  readonly headings: readonly Heading[];
  /** Absent in the preview, and for text shown plain, which has `plainFacts`. */
  readonly facts?: PageFacts;
  /** BCP 47, detected from the words. Absent if they are too few, and in the preview. */
  readonly language?: string;
  /** Set if the page is right-to-left. */
  readonly direction?: 'rtl';
  /** Set if it has a code block that the reader's browser draws as a diagram. */
  readonly diagrams?: true;
  /** Why the text is shown plain: it exceeds a limit of nesting, width, time, memory or output, or others were before it. */
  readonly plain?: PlainReason;
  /** Set if formulas are shown as written because their engine is not loaded. Never set by render-loaded.ts. */
  readonly mathMissing?: true;
}

export interface Heading {
  readonly depth: 1 | 2 | 3 | 4 | 5 | 6;
  /** The element's id with its prefix: `user-content-my-heading`. */
  readonly id: string;
  readonly text: string;
}

/** `fault` is an error of ours, not the text's. `busy` is temporary; the text may be rendered later. */
export type PlainReason = 'nesting' | 'table-width' | 'time' | 'memory' | 'output' | 'fault' | 'busy';

export interface RenderOptions {
  /** Prefix of every id made from the text. It keeps pages shown together apart (print). Default `user-content-`. */
  readonly idPrefix?: string;
  /** On the server: renders the body of an XHTML file for EPUB, with renamed ids (book/book-text.ts). Default off. */
  readonly book?: boolean;
  /** Detects the direction of the whole page. A preview, which renders single blocks, does not. Default off. */
  readonly pageDirection?: boolean;
  /** Marks blocks with `data-line` (1-based source line), for the preview's scroll sync. Default off. */
  readonly sourceLines?: boolean;
}

/** For whom a text is rendered. Read whenever a thread is free, so it may change while the text waits. */
export interface RenderTurn {
  /** To whom turns and thread time are charged: an address, a notebook. */
  payers: readonly string[];
  /** True if nobody waits for it. Everything that is waited for is rendered first. */
  background: boolean;
  /** Set by the renderer when the text has left the queue and is in a thread. */
  running?: boolean;
  /** Set by the renderer when a second of processor time was not enough. */
  late?: boolean;
  /** A newer text with the same name takes its place in the queue; the older one is answered with `busy`. */
  readonly name?: string;
}

/** The server's renderer: worker threads with a fair, bounded queue and limits of time, memory and output. No text makes it reject. */
export interface Renderer {
  /** A text that nobody waits for and that must be shown plain is answered without its words; see `plainPieces` in plain.ts. */
  render(markdown: string, options?: RenderOptions, turn?: RenderTurn): Promise<Rendered>;
  /** Identifies everything that affects the output. It is part of the key under which renderings are stored. */
  readonly engine: string;
  close(): Promise<void>;
}
