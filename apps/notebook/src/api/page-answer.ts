import { type Page, pageTitle } from '../model/notebook.ts';
import type { ApiPage } from './types.ts';

/** A page as the API shows it, in answers and in the refusal of a stale save. */
export function pageAnswer(page: Page): ApiPage {
  const { id, markdown, revision } = page;
  return { id, title: pageTitle(page), markdown, revision, updatedAt: new Date(page.updatedAt).toISOString() };
}
