import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { pageAnswer } from '../api/page-answer.ts';
import type { ApiNotebook, ApiSnapshot, ApiSnapshotHead } from '../api/types.ts';
import { sendJson } from '../http/answers/long-json.ts';
import { type Access, lifecycle } from '../model/access.ts';
import { type Notebook, type Page, type PageHead, pageTitle, type Snapshot, type SnapshotHead } from '../model/notebook.ts';

function time(ms: number): string {
  return new Date(ms).toISOString();
}

function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : time(ms);
}

/** An owner gets every field, a reader only those for readers. */
export function notebookAnswer(notebook: Notebook, pages: readonly Page[], access: Access['kind'], now: number): ApiNotebook {
  const owned =
    access === 'owner'
      ? { openedAt: timeOrNull(notebook.openedAt), hasPassword: notebook.passwordHash !== null, embedding: notebook.embedding }
      : {};
  return {
    slug: notebook.slug,
    title: notebook.title,
    visibility: notebook.visibility,
    expiresAt: timeOrNull(notebook.expiresAt),
    readOnly: notebook.readOnly,
    burnAfterRead: notebook.burnAfterRead,
    ...owned,
    openEditing: notebook.openEditing,
    comments: notebook.comments,
    paper: notebook.paper,
    lifecycle: lifecycle(notebook, now),
    createdAt: time(notebook.createdAt),
    updatedAt: time(notebook.updatedAt),
    pages: pages.map(pageAnswer),
  };
}

export function snapshotHeadAnswer(snapshot: SnapshotHead): ApiSnapshotHead {
  const { id, pageId, revision, bytes } = snapshot;
  return { id, pageId, revision, createdAt: time(snapshot.createdAt), bytes };
}

export function snapshotAnswer(snapshot: Snapshot): ApiSnapshot {
  return { ...snapshotHeadAnswer(snapshot), title: snapshot.title, markdown: snapshot.markdown };
}

/** Sends a page with `ETag: "{revision}"`. */
export function sendPage(reply: FastifyReply, status: number, page: Page): FastifyReply {
  return sendJson(reply.code(status).header('etag', `"${page.revision}"`), pageAnswer(page));
}

/** Identifies the whole answer. Pages count by their revision, so that their text need not be read. */
export function notebookEtag(answer: Omit<ApiNotebook, 'pages'>, heads: readonly PageHead[]): string {
  const versions = heads.map(head => [head.id, pageTitle(head), head.revision]);
  const digest = createHash('sha256')
    .update(JSON.stringify([answer, versions]))
    .digest('base64url');
  return `W/"${digest.slice(0, 16)}"`;
}
