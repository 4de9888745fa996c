import type { Paper } from '../model/notebook.ts';

/** What the picture beside a shared link shows. */
export interface CardFace {
  readonly title: string;
  /** First words of the text; may be empty. */
  readonly description: string;
  readonly pages: number;
  readonly paper: Paper;
}

/** Draws the pictures beside shared links, away from the process that answers requests. */
export interface CardPainter {
  /**
   * A PNG of 1200 × 630 pixels; undefined when it cannot be had now: too many wait, or it took too long.
   * @param client who asks: of several, one who used least of the painter's time comes first
   */
  draw(face: CardFace, client?: string): Promise<Uint8Array | undefined>;
  close(): Promise<void>;
}
