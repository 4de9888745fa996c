import { type Comment, isExpired, lifecycle, type Notebook, type Page, type Snapshot, titleOf, type World } from './world.ts';

/** What the model's notebooks look like in answers. */

export const time = (at: number): string => new Date(at).toISOString();

export function showPage(book: Notebook, page: Page): Record<string, unknown> {
  const { id, markdown, revision, updatedAt } = page;
  return { id, title: titleOf(book, page), markdown, revision, updatedAt: time(updatedAt) };
}

export function showNotebook(world: World, book: Notebook, isOwner: boolean): Record<string, unknown> {
  const { slug, title, visibility, expiresAt, readOnly, burnAfterRead, openEditing, embedding, comments, paper } = book;
  return {
    slug,
    title,
    visibility,
    expiresAt: expiresAt === null ? null : time(expiresAt),
    readOnly,
    burnAfterRead,
    openEditing,
    comments,
    paper,
    lifecycle: lifecycle(book, world.now),
    createdAt: time(book.createdAt),
    updatedAt: time(book.updatedAt),
    pages: book.pages.map(page => showPage(book, page)),
    ...(isOwner && {
      openedAt: book.openedAt === null ? null : time(book.openedAt),
      embedding,
      hasPassword: book.password !== null,
    }),
  };
}

export function showSnapshot(book: Notebook, page: Page, snapshot: Snapshot, whole: boolean): object {
  const { id, revision, markdown, createdAt } = snapshot;
  const title = titleOf(book, page, snapshot);
  const bytes = Buffer.byteLength(markdown);
  return { id, pageId: page.id, revision, createdAt: time(createdAt), bytes, ...(whole && { title, markdown }) };
}

export function showComment({ createdAt, ...rest }: Comment): object {
  return { ...rest, createdAt: time(createdAt) };
}

/** The words of a run carry its mark: no other text on any page has it. */
export const wordsIn = (text: string): string[] => text.match(/[a-z]+qzx[0-9a-z]{4}xzq/g) ?? [];

/** An only page whose text opens with a title of its own is not called by another one. */
export function wordsOfTitles(book: Notebook): string[] {
  const [only, ...others] = book.pages;
  const named = others.length === 0 && /^# /.test(only?.markdown ?? '') ? [] : book.pages;
  return [book.title, ...named.map(page => titleOf(book, page))].flatMap(wordsIn);
}

export function wordsOf(book: Notebook): string[] {
  const texts = book.pages.map(page => page.markdown);
  const remarks = book.comments ? book.remarks.flatMap(({ author, body }) => [author, body]) : [];
  return [...wordsOfTitles(book), ...[...texts, ...remarks].flatMap(wordsIn)];
}

export const isFramed = (book: Notebook, now: number): boolean =>
  book.embedding && book.visibility !== 'private' && book.password === null && !book.burnAfterRead && !isExpired(book, now);
