import type { Access } from '../model/access.ts';
import type { Comment } from '../model/comment.ts';
import type { Notebook, Page, PageHead } from '../model/notebook.ts';
import { findPageAt } from '../model/page-address.ts';
import { readComments } from './comments.ts';
import { readTitles, type TitleOf } from './page-titles.ts';
import type { Needs } from './parts.ts';
import { type PageShowing, type RenderingVariant, renderPage, renderPageByHead } from './render-page.ts';
import { findWithAccess, type NotebookWithAccess, type PresentedCredentials, requireReadable } from './require-access.ts';
import { type AddressOf, PageLinkResolver } from './resolve-page-links.ts';

export type ViewAnswer =
  | { readonly kind: 'open'; readonly notebook: Notebook; readonly access: Access }
  | { readonly kind: 'locked'; readonly notebook: Notebook }
  | { readonly kind: 'opens-once'; readonly notebook: Notebook }
  | { readonly kind: 'wrong-token' }
  | { readonly kind: 'taken-down' }
  | { readonly kind: 'missing' };

/** Finds the answer for this caller at the view link. One small read; pages are read only for callers who may see them. */
export async function viewNotebook(
  parts: Needs<'store' | 'secretKey' | 'now'>,
  slug: string,
  presented: PresentedCredentials,
): Promise<ViewAnswer> {
  const opened = await findWithAccess(parts, slug, presented);
  if (!opened) return { kind: 'missing' };
  const { notebook, access } = opened;
  switch (access.kind) {
    case 'owner':
    case 'reader':
      return { kind: 'open', notebook, access };
    case 'locked':
    case 'opens-once':
      return { kind: access.kind, notebook };
    default:
      return { kind: access.kind };
  }
}

export interface PageShown extends PageShowing {
  readonly heads: readonly PageHead[];
  readonly head: PageHead;
  readonly titleOf: TitleOf;
  /** The comments on this page; the first page also shows those on the notebook as a whole. Absent when comments are off. */
  readonly comments?: readonly Comment[];
}

/**
 * For an answer that is made page by page: repeats the access check for each page.
 * @throws Refusal when the notebook is no longer open to this caller
 */
export function createAccessCheck(
  parts: Needs<'store' | 'secretKey' | 'now'>,
  slug: string,
  presented: PresentedCredentials,
): () => Promise<NotebookWithAccess> {
  return () => requireReadable(parts, slug, presented);
}

/**
 * The sidebar and one rendered page; without an id, the first. Undefined when the notebook has no such page.
 * @param client the reader, who is charged for the threads' time
 * @param addressOf for links from one page to another
 */
export async function showPage(
  parts: Needs<'store' | 'objects' | 'renderer' | 'texts'>,
  notebook: Notebook,
  pageId: string | undefined,
  client: string | undefined,
  addressOf: AddressOf,
): Promise<PageShown | undefined> {
  const heads = await parts.store.listPageHeads(notebook.id);
  const head = pageId === undefined ? heads[0] : findPageAt(heads, pageId);
  if (!head) return undefined;
  const rendering = await renderPageByHead(parts, notebook.id, head, 'view', client);
  if (!rendering) return undefined;
  const rendered = await new PageLinkResolver(parts, notebook, heads, addressOf).resolve(head, rendering.rendered);
  const titleOf = await readTitles(parts, notebook, heads);
  const showing = { heads, head, titleOf, ...rendering, rendered };
  if (!notebook.comments) return showing;
  const comments = await readComments(parts, notebook.id, head.id, heads[0]?.id ?? head.id);
  return { ...showing, comments };
}

export interface PageRendered extends PageShowing {
  readonly page: Page;
}

/** Every page of the notebook, rendered for one document, with its links resolved. */
export async function showAllPages(
  parts: Needs<'store' | 'objects' | 'renderer' | 'texts'>,
  notebook: Notebook,
  variant: RenderingVariant,
  client: string | undefined,
  addressOf: AddressOf,
): Promise<PageRendered[]> {
  const pages = await parts.store.listPages(notebook.id);
  const linkResolver = new PageLinkResolver(parts, notebook, pages, addressOf);
  return Promise.all(
    pages.map(async page => {
      const showing = await renderPage(parts, page, variant, client);
      return { page, ...showing, rendered: await linkResolver.resolve(page, showing.rendered) };
    }),
  );
}
