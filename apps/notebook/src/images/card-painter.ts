import type { Paper } from '../model/notebook.ts';

/** The content of a shared link's preview picture. */
export interface CardContent {
  readonly title: string;
  /** The first words of the text; may be empty. */
  readonly description: string;
  readonly pages: number;
  readonly paper: Paper;
}

/** Draws the preview pictures of shared links, outside the process that answers requests. */
export interface CardPainter {
  /**
   * A PNG of 1200 × 630 pixels; undefined when it cannot be drawn now: too many wait, or it took too long.
   * @param client who asks; the client that used least of the painter's time comes first
   */
  draw(face: CardContent, client?: string): Promise<Uint8Array | undefined>;
  close(): Promise<void>;
}
