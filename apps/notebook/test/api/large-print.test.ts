import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/engines.ts';
import { type CreatedNotebook, type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

const words = (page: number) => `# Title ${page}\n\n## Part of ${page}\n\nbegin-${page} ${'words '.repeat(5_000)}end-${page}`;

/**
 * Calls `act` when the store is asked for a printed rendering of this notebook for the nth time, after nobody renders its pages any more. Their
 * views may still be made ready for readers, which asks for other renderings.
 */
async function atRendering(
  { parts: { store, renderer } }: NotebookApp,
  { pages }: CreatedNotebook,
  nth: number,
  act: () => Promise<unknown>,
): Promise<() => void> {
  const { findRendering } = store;
  const findKept = () =>
    Promise.all(
      pages.flatMap(({ id }) =>
        (['view', 'print'] as const).map(variant => findRendering(id, { revision: 1, variant, engine: renderer.engine })),
      ),
    );
  // A page that is created is rendered without being asked for, which asks the store as well.
  await expect.poll(async () => (await findKept()).every(kept => kept !== undefined), { timeout: 60_000 }).toBe(true);
  let asked = 0;
  store.findRendering = async (id, key) => {
    if (key.variant === 'print' && pages.some(page => page.id === id) && ++asked === nth) await act();
    return findRendering(id, key);
  };
  return () => {
    store.findRendering = findRendering;
  };
}

describe.each(engines)('the print of a large notebook on $name', engine => {
  let app: NotebookApp;
  let origin: string;
  beforeAll(async () => {
    app = await startNotebookApp({ engine });
    origin = await app.listen();
  });
  afterAll(() => app.close());
  const create = (settings: object = {}) =>
    app.create({ ...settings, pages: [1, 2, 3, 4, 5, 6].map(page => ({ markdown: words(page) })) });
  const print = ({ slug }: CreatedNotebook, headers: Record<string, string> = {}) =>
    fetch(`${origin}/n/${slug}/print`, { headers });

  it('is a whole document: every page once, in order, and the contents name each', async () => {
    const made = await create();
    const answer = await print(made);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('private, no-cache');
    expect(answer.headers.get('x-robots-tag')).toBe('noindex');
    expect(answer.headers.get('content-security-policy')).toContain("frame-src 'none'");
    const html = await answer.text();
    expect(html).toMatch(/^<!doctype html>[\s\S]*<\/main><\/body><\/html>$/);
    expect(html.match(/(?:begin|end)-\d/g)).toEqual([1, 2, 3, 4, 5, 6].flatMap(page => [`begin-${page}`, `end-${page}`]));
    expect(html.match(/class="contents-page"/g)).toHaveLength(6);
    expect(html.match(/>Part of \d<\/a>/g)).toHaveLength(6);
    expect(html).not.toContain('\0');
  });

  it('allows the frames of diagrams when any page has one', async () => {
    const pages = [{ markdown: words(1).repeat(3) }, { markdown: '```mermaid\nflowchart TD\nA-->B\n```' }];
    const answer = await print(await app.create({ pages }));
    expect(answer.headers.get('content-security-policy')).toContain("frame-src 'self'");
    expect(await answer.text()).toMatch(/^<!doctype html>\s*<html[^>]* data-frames/);
  });

  it('has an ETag from the second time on, and another one after a change', async () => {
    const made = await create();
    expect((await print(made)).headers.get('etag')).toBeNull();
    await expect.poll(async () => (await print(made)).headers.get('etag'), { timeout: 30_000 }).not.toBeNull();
    const etag = (await print(made)).headers.get('etag')!;
    expect((await print(made, { 'if-none-match': etag })).status).toBe(304);
    await app.ask('PATCH', `/api/notebooks/${made.slug}/pages/${made.pages[0]!.id}`, {
      token: made.editToken,
      body: { markdown: `${words(1)} more` },
    });
    expect((await print(made, { 'if-none-match': etag })).status).toBe(200);
  });

  it('breaks off when the notebook is closed to the reader while it is sent, and is 404 when that was before the first byte', async () => {
    const made = await create();
    await (await print(made)).text();
    const change = async (visibility: string) => {
      const { statusCode } = await app.ask('PATCH', `/api/notebooks/${made.slug}`, {
        token: made.editToken,
        body: { visibility },
      });
      expect(statusCode).toBe(200);
    };
    const [takeAway, giveBack] = [() => change('private'), () => change('unlisted')];
    // Each page is asked for twice: for the contents, and to be sent.
    const later = await atRendering(app, made, 8, takeAway);
    await expect(print(made).then(answer => answer.text())).rejects.toThrow(/terminated|fetch failed|closed/);
    later();
    await giveBack();
    const earlier = await atRendering(app, made, 1, takeAway);
    const answer = await print(made);
    expect(answer.status).toBe(404);
    expect(await answer.text()).not.toContain('begin-');
    earlier();
  });

  it('reads no further for .md, for a search and for the API either', async () => {
    const long = [1, 2, 3, 4, 5, 6].map(page => ({ markdown: `${words(page)}${' filler'.repeat(14_000)}` }));
    for (const [path, accept] of [
      ['/n/{slug}.md'],
      ['/n/{slug}/find?q=words'],
      ['/api/notebooks/{slug}', 'application/json'],
      ['/api/notebooks/{slug}', 'text/markdown'],
    ] as const) {
      const made = await app.create({ pages: long });
      const { findPage } = app.parts.store;
      let read = 0;
      app.parts.store.findPage = async (...given) => {
        if (++read === 2) await app.parts.store.takeDown(made.slug, app.clock.now);
        return findPage(...given);
      };
      const sent = await fetch(origin + path.replace('{slug}', made.slug), accept && { headers: { accept } })
        .then(answer => answer.text())
        .catch(() => '');
      app.parts.store.findPage = findPage;
      expect(read, `${path} ${accept}`).toBe(2);
      expect(sent).not.toContain('begin-3');
    }
  });
});
