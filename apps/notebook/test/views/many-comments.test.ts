import { expect, it } from 'vitest';
import type { FinishedPage } from '../../src/http/answers/compressed.ts';
import { limits } from '../../src/limits.ts';
import type { RouteContext } from '../../src/routes/context.ts';
import { makeView } from '../../src/routes/draw-view.ts';
import { newId, noon } from '../store/contract/subject.ts';
import { openParts } from '../support/parts-in-memory.ts';
import { turnsOf } from '../support/turns.ts';
import { site } from './samples.ts';

it('many comments are read and drawn a portion a turn of the event loop', async () => {
  const facts = { description: '', minutes: 1, slides: false };
  const render = async () => ({ html: '<p>words</p>', headings: [], facts });
  const open = await openParts({ renderer: { render, engine: 'test', close: async () => {} } });
  // Kept nowhere: drawn with every look.
  const { notebook } = await open.keep({ visibility: 'private' });
  const context = { parts: open.parts, site, build: 'test' } as RouteContext;
  const view = () => makeView(context, { notebook, access: { kind: 'reader' } }, undefined, 'c') as Promise<FinishedPage>;
  await view();
  const few = await turnsOf(view);
  const ids = Array.from({ length: 2 * limits.maxCommentsAtOnce + 1 }, newId);
  for (const id of ids) {
    const said = { notebookId: notebook.id, pageId: null, author: '', body: 'see http://a.example', createdAt: noon };
    await open.parts.store.addComment({ id, ...said });
  }
  const many = await turnsOf(view);
  const html = (await many.result.in('plain')).toString();
  expect([...html.matchAll(/<li class="comment" id="comment-(\w+)">/g)].map(([, id]) => id)).toEqual(ids);
  expect(html).toContain(
    '<h2 id="comments-heading">Comments (101)</h2><p><a href="#write-comment">Write a comment</a></p><ol><li class="comment"',
  );
  // Two turns more to read them, and one for each portion to draw.
  expect(many.turns - few.turns).toBeGreaterThanOrEqual(5);
  await open.close();
});
