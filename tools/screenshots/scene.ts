import type { Page } from 'playwright-core';

/** A page in one state, and how to get there. */
export interface Scene {
  readonly name: string;
  /** Only what fits into the window; otherwise the whole length of the page. */
  readonly window?: boolean;
  /** As the printer would get it. */
  readonly paper?: boolean;
  readonly open: (page: Page) => Promise<unknown>;
}
