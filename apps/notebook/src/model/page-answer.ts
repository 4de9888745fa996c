import { type Page, pageTitle } from './notebook.ts';

/** A page as the API shows it: in answers, and in the refusal of a stale save. */
export interface PageAnswer {
  readonly id: string;
  readonly title: string;
  readonly markdown: string;
  readonly revision: number;
  /** RFC 3339. */
  readonly updatedAt: string;
}

export function pageAnswer(page: Page): PageAnswer {
  const { id, markdown, revision } = page;
  return { id, title: pageTitle(page), markdown, revision, updatedAt: new Date(page.updatedAt).toISOString() };
}
