import type { LightMyRequestResponse } from 'fastify';
import { type Image, objectKey } from '../../src/model/image.ts';
import { Owner } from '../../src/model/rights.ts';
import type { Store } from '../../src/store/store.ts';
import type { AskOptions, CreatedNotebook, NotebookApp } from '../support/notebook-app.ts';

export type Answer = LightMyRequestResponse;

/** With the owner's token, unless the options have another say. */
export function upload(app: NotebookApp, made: CreatedNotebook, body: Buffer, options: AskOptions = {}): Promise<Answer> {
  return app.ask('POST', `/api/notebooks/${made.slug}/images`, { token: made.editToken, body, ...options });
}

/** How often each status and code came. */
export function tally(answers: readonly { readonly statusCode: number; json(): { code?: string } }[]): Record<string, number> {
  const names = answers.map(answer => [answer.statusCode, answer.json().code].filter(part => part !== undefined).join(' '));
  return Object.fromEntries(Object.entries(Object.groupBy(names, name => name)).map(([name, all]) => [name, all!.length]));
}

export function idOf(app: NotebookApp, made: CreatedNotebook): Promise<string> {
  return app.parts.store.findNotebookBySlug(made.slug).then(notebook => notebook!.id);
}

/** Records without objects, for tests that count. */
export async function addRecords(store: Store, slug: string, editToken: string, count: number): Promise<Image[]> {
  const notebook = (await store.findNotebookBySlug(slug))!;
  const owner = Owner.check(notebook, editToken)!;
  const images = Array.from({ length: count }, (_, at) => {
    const id = at.toString(16).padStart(32, '0').replace(/^0{8}/, notebook.id.slice(0, 8));
    const key = objectKey(notebook.id, id, 'webp');
    return { id, notebookId: notebook.id, key, type: 'webp' as const, bytes: 1, width: 1, height: 1, createdAt: 0 };
  });
  for (const image of images) {
    await store.takeUploadSlot(owner, image.id, undefined, 1);
    await store.addImage(owner, image, 2);
  }
  return images;
}
