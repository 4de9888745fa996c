import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Rendered, Renderer } from '../../src/markdown/rendered.ts';
import { createRenderer } from '../../src/markdown/renderer.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

let app: NotebookApp;
let renderings = 0;
let busy = true;

/** The real renderer, which answers "no time" as long as it is told that the machine is busy. */
function busyRenderer(real: Renderer): Renderer {
  const outOfTime: Rendered = { html: '<pre>as plain text</pre>', headings: [], plain: 'time' };
  return {
    engine: real.engine,
    close: () => real.close(),
    render: (markdown, options) => {
      renderings += 1;
      return busy ? Promise.resolve(outOfTime) : real.render(markdown, options);
    },
  };
}

beforeAll(async () => {
  app = await startNotebookApp({ overrides: { renderer: busyRenderer(createRenderer()) } });
});
afterAll(() => app.close());

it('a page that had no time is shown plain with a notice, kept nowhere for ever, and asks for no rendering with every look', async () => {
  const { slug, pages } = await app.create({ pages: [{ markdown: '**strong**' }] });
  const view = () => app.ask('GET', `/n/${slug}`);
  const first = await view();
  expect(first.body).toContain('as plain text');
  expect(first.body).toContain('shown as plain text');
  const before = renderings;
  for (let look = 0; look < 5; look++) await view();
  expect(renderings).toBe(before);
  busy = false;
  // What the database keeps is what the next process shows: nothing was kept of the bad moment.
  const kept = await app.parts.store.findRendering(pages[0]!.id, {
    revision: 1,
    variant: 'view',
    engine: app.parts.renderer.engine,
  });
  expect(kept).toBeUndefined();
  const printed = await app.ask('GET', `/n/${slug}/print`);
  expect(printed.body).toContain('<strong>strong</strong>');
});
