import type { Page } from 'playwright-core';

/** A page in one state, and how to get there. */
export interface Scene {
  readonly name: string;
  /** Only the window's visible part; otherwise the whole length of the page. */
  readonly window?: boolean;
  /** As it would be printed. */
  readonly paper?: boolean;
  readonly open: (page: Page) => Promise<unknown>;
}
