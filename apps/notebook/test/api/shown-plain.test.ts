import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { renderPlain } from '../../src/markdown/plain.ts';
import type { PlainReason, Rendered, Renderer } from '../../src/markdown/rendered.ts';
import { createRenderer } from '../../src/markdown/renderer.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

let app: NotebookApp;
let renderings = 0;
/** What the renderer does: its work, one answer for all texts, or nothing until it is told. */
let mood: 'works' | PlainReason | Promise<unknown> = 'works';

function moody(real: Renderer): Renderer {
  return {
    engine: real.engine,
    close: () => real.close(),
    render: async (markdown, options, turn): Promise<Rendered> => {
      renderings += 1;
      if (typeof mood !== 'string') await mood;
      else if (mood !== 'works') return renderPlain(markdown, mood);
      return real.render(markdown, options, turn);
    },
  };
}

beforeAll(async () => {
  app = await startNotebookApp({ overrides: { renderer: moody(createRenderer()) } });
});
afterEach(() => {
  vi.restoreAllMocks();
});
afterAll(() => app.close());

/** Time goes a hundred times as fast from now on: a reader who would wait a second, or 20 for a print, is told sooner. */
function hurry(): void {
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() * 100);
}

async function keptOf(pageId: string): Promise<string | undefined> {
  const key = { revision: 1, variant: 'view', engine: app.parts.renderer.engine };
  return (await app.parts.store.findRendering(pageId, key))?.json;
}

it('a fault of ours is shown plain with a notice, kept nowhere for ever, and asks for no rendering with every look', async () => {
  mood = 'fault';
  const { slug, pages } = await app.create({ pages: [{ markdown: '**strong**' }] });
  const view = () => app.ask('GET', `/n/${slug}`);
  const first = await view();
  expect(first.body).toContain('**strong**');
  expect(first.body).toContain('shown as plain text');
  const before = renderings;
  for (let look = 0; look < 5; look++) await view();
  expect(renderings).toBe(before);
  mood = 'works';
  // What the database keeps is what the next process shows: nothing was kept of the bad moment.
  expect(await keptOf(pages[0]!.id)).toBeUndefined();
  const printed = await app.ask('GET', `/n/${slug}/print`);
  expect(printed.body).toContain('<strong>strong</strong>');
});

it('a text that is too slow is tried once: the reason is kept, without the text, for views and print of every process', async () => {
  mood = 'time';
  const { slug, pages } = await app.create({ pages: [{ markdown: '**slow**' }] });
  const { body } = await app.ask('GET', `/n/${slug}`);
  expect(body).toContain('it takes too long to render');
  expect(body).toContain('**slow**');
  expect(await keptOf(pages[0]!.id)).toBe('{"html":"","headings":[],"plain":"time"}');
  const before = renderings;
  const printed = await app.ask('GET', `/n/${slug}/print`);
  expect(printed.body).toContain('**slow**');
  expect(printed.body).not.toContain('<strong>');
  const another = await startNotebookApp({ overrides: { store: app.parts.store, renderer: app.parts.renderer } });
  expect((await another.ask('GET', `/n/${slug}`)).body).toContain('it takes too long to render');
  await another.server.close();
  expect(renderings).toBe(before);
});

it('what waits too long is shown plain with a notice, and the look after its rendering gets the real page, validators and all', async () => {
  const { promise, resolve: goOn } = Promise.withResolvers<void>();
  mood = promise;
  const { slug } = await app.create({ pages: [{ markdown: '**late**' }] });
  hurry();
  const waiting = await app.ask('GET', `/n/${slug}`);
  expect(waiting.statusCode).toBe(200);
  expect(waiting.body).toContain('because the service is busy');
  expect(waiting.body).toContain('**late**');
  const before = renderings;
  // Who looks again meanwhile does not wait again, and starts nothing.
  expect((await app.ask('GET', `/n/${slug}`)).body).toContain('because the service is busy');
  expect(renderings).toBe(before);
  vi.restoreAllMocks();
  goOn();
  await expect
    .poll(async () => (await app.ask('GET', `/n/${slug}`, { headers: { 'if-none-match': waiting.headers.etag as string } })).body)
    .toContain('<strong>late</strong>');
  mood = 'works';
});

it('a diagram that was shown plain for a moment is drawn after a reload: the page fetched again brings the script', async () => {
  const { promise, resolve: goOn } = Promise.withResolvers<void>();
  mood = promise;
  const { slug } = await app.create({ pages: [{ markdown: '```mermaid\nflowchart LR\n  A --> B\n```' }] });
  const script = /<script[^>]*diagrams/;
  hurry();
  for (const path of [`/n/${slug}`, `/n/${slug}/print`]) {
    const first = await app.ask('GET', path);
    expect(first.body).toContain('because the service is busy');
    expect(first.body).not.toMatch(script);
    expect(first.headers['content-security-policy']).toBeDefined();
  }
  const first = await app.ask('GET', `/n/${slug}`);
  vi.restoreAllMocks();
  goOn();
  mood = 'works';
  const again = () => app.ask('GET', `/n/${slug}`, { headers: { 'if-none-match': first.headers.etag as string } });
  await expect.poll(async () => (await again()).body).toMatch(script);
  await expect.poll(async () => (await app.ask('GET', `/n/${slug}/print`)).body).toMatch(script);
  expect((await again()).body).toContain('language-mermaid');
});
