/** What a page's markdown becomes. The same shape on the server and in the preview. */
export interface Rendered {
  /** Sanitized; safe to put into a page as it is. */
  readonly html: string;
  readonly headings: readonly Heading[];
  /** Why the text is shown plain: over a bound of nesting, width, time, memory or output. */
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

/** `fault`: ours, not the text's. */
export type PlainReason = 'nesting' | 'table-width' | 'time' | 'memory' | 'output' | 'fault';

export interface RenderOptions {
  /** Before every id made from the text; keeps pages apart that are shown together (print). Default `user-content-`. */
  readonly idPrefix?: string;
  /** Marks blocks with `data-line` (1-based source line), for the preview's scroll sync. Default off. */
  readonly sourceLines?: boolean;
}

/** The server's renderer: worker threads behind a queue, with limits of time, memory and output. Never rejects for a text's sake. */
export interface Renderer {
  render(markdown: string, options?: RenderOptions): Promise<Rendered>;
  /** Names everything that changes the output; part of the key under which renderings are kept. */
  readonly engine: string;
  close(): Promise<void>;
}
