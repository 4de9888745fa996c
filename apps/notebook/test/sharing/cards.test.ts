import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CardContent } from '../../src/images/card-painter.ts';
import { urls } from '../../src/urls.ts';
import { type CreatedNotebook, type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

let app: NotebookApp;
beforeAll(async () => {
  app = await startNotebookApp();
});
afterAll(() => app?.close());

/** What a chat reads of a page. */
function cardOf(html: string): Record<string, string> {
  const metas = html.matchAll(/<meta (?:property|name)="((?:og|twitter):[^"]*)" content="([^"]*)"/g);
  return Object.fromEntries([...metas].map(([, name, content]) => [name!, content!]));
}

const pages = [{ markdown: '# Wintergreen\n\nFirst words of it' }, { markdown: '# Other\n\nmore' }];

describe('a link in a chat', () => {
  it.each(['public', 'unlisted'])('of a %s notebook shows title, first lines and how many pages', async visibility => {
    const made = await app.create({ visibility, title: 'Field “notes”', pages });
    const answer = await app.ask('GET', `/n/${made.slug}`);
    expect(cardOf(answer.body)).toMatchObject({
      'og:title': 'Wintergreen · Field “notes”',
      'og:description': '2 pages. First words of it',
      'og:url': `http://localhost/n/${made.slug}`,
      'og:image': expect.stringMatching(new RegExp(`^http://localhost/n/${made.slug}/card[.]png[?]v=[0-9]+$`)),
      'og:image:alt': 'The title and first words of “Field “notes””',
      'twitter:card': 'summary_large_image',
    });
    expect(answer.headers['x-robots-tag']).toBe(visibility === 'public' ? undefined : 'noindex');
  });

  it('of a note that is called by its first line says the rest, if there is one', async () => {
    const described = async (markdown: string) => {
      const made = await app.create({ title: 'Milk and eggs', pages: [{ markdown }] });
      return cardOf((await app.ask('GET', `/n/${made.slug}`)).body)['og:description'];
    };
    expect(await described('Milk and eggs\n\nand bread')).toBe('and bread');
    expect(await described('Milk and eggs and bread')).toBe('Milk and eggs and bread');
    expect(await described('Milk and eggs')).toBe('Milk and eggs');
  });

  it.each([
    ['locked', { visibility: 'public', password: 'open sesame' }, 'A locked notebook'],
    ['burning', { visibility: 'public', burnAfterRead: true }, 'A notebook that opens once'],
  ])('of a %s one tells nothing of it', async (_, settings, title) => {
    const made = await app.create({ title: 'Field notes', pages, ...settings });
    const { body } = await app.ask('GET', `/n/${made.slug}`);
    expect(cardOf(body)).toMatchObject({ 'og:title': title, 'og:image': 'http://localhost/card.png' });
    expect(body).not.toMatch(/Field notes|Wintergreen|First words/);
    const owners = await app.ask('GET', `/n/${made.slug}`, { token: made.editToken });
    expect(cardOf(owners.body)).not.toHaveProperty('og:title', expect.stringContaining('Wintergreen'));
  });

  it('of a private one is that of a notebook which never was', async () => {
    const made = await app.create({ visibility: 'private', title: 'Field notes', pages });
    const answer = await app.ask('GET', `/n/${made.slug}`);
    expect([answer.statusCode, cardOf(answer.body)]).toEqual([
      404,
      expect.objectContaining({
        'og:title': 'A notebook',
        'og:url': 'http://localhost/',
        'og:image': 'http://localhost/card.png',
      }),
    ]);
    expect((await app.ask('GET', '/n/never-was')).body).toBe(answer.body);
    expect(cardOf((await app.ask('GET', `/n/${made.slug}`, { token: made.editToken })).body)).toEqual({});
  });

  it.each(['locked', 'burning'])('of a %s one shows the picture of all notebooks, at the address of its own too', async kind => {
    const made = await app.create({ pages, ...(kind === 'locked' ? { password: 'open sesame' } : { burnAfterRead: true }) });
    const own = await app.ask('GET', urls.notebookCard(made.slug));
    const plain = await app.ask('GET', urls.card());
    expect(plain.headers).toMatchObject({ 'content-type': 'image/png', 'cross-origin-resource-policy': 'cross-origin' });
    expect(own.rawPayload.equals(plain.rawPayload)).toBe(true);
    expect(own.headers).toMatchObject({ 'content-type': 'image/png', 'cache-control': 'no-store', 'x-robots-tag': 'noindex' });
    expect(sizeOf(own.rawPayload)).toEqual([1200, 630]);
  });
});

const sizeOf = (png: Buffer) => [png.readUInt32BE(16), png.readUInt32BE(20)];

describe('the picture of a notebook', () => {
  const get = (slug: string, headers = {}) => app.ask('GET', urls.notebookCard(slug), { headers });

  it('shows a first line once that is the title', async () => {
    const pictureOf = async (markdown: string) => {
      const made = await app.create({ title: 'Milk and eggs', pages: [{ markdown }] });
      return (await get(made.slug)).rawPayload;
    };
    const [twice, once, other] = [
      await pictureOf('Milk and eggs\n\nand bread'),
      await pictureOf('and bread'),
      await pictureOf('Milk and eggs and bread'),
    ];
    expect(twice.equals(once)).toBe(true);
    expect(other.equals(once)).toBe(false);
  });

  /** While a busy machine draws none in time, the one of all notebooks is answered, without a tag. */
  const getOwn = async (slug: string, headers = {}) => {
    let answer!: Awaited<ReturnType<typeof get>>;
    const ask = async () => {
      answer = await get(slug, headers);
      return answer.headers;
    };
    await expect.poll(ask, { timeout: 60_000 }).toHaveProperty('etag');
    return answer;
  };

  it('is 1200 by 630 pixels, of its own words, and another one after a change', { timeout: 120_000 }, async () => {
    const made = await app.create({ title: 'Field notes', pages });
    const [first, again] = [await getOwn(made.slug), await getOwn(made.slug)];
    expect(first.headers).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'private, no-cache',
      'x-robots-tag': 'noindex',
      'cross-origin-resource-policy': 'cross-origin',
    });
    expect(sizeOf(first.rawPayload)).toEqual([1200, 630]);
    expect(again.rawPayload.equals(first.rawPayload)).toBe(true);
    expect(first.rawPayload.equals((await app.ask('GET', urls.card())).rawPayload)).toBe(false);

    const etag = String(first.headers.etag);
    expect((await get(made.slug, { 'if-none-match': etag })).statusCode).toBe(304);
    await app.ask('PATCH', `/api/notebooks/${made.slug}`, { body: { title: 'Wood notes' }, token: made.editToken });
    const changed = await getOwn(made.slug, { 'if-none-match': etag });
    expect(changed.statusCode).toBe(200);
    expect(changed.rawPayload.equals(first.rawPayload)).toBe(false);
  });

  it('is gone with the notebook, at once, also for a client that has its tag', async () => {
    const made = await app.create({ title: 'Field notes', pages });
    const { etag } = (await get(made.slug)).headers;
    await app.ask('DELETE', `/api/notebooks/${made.slug}`, { token: made.editToken });
    expect((await get(made.slug, { 'if-none-match': String(etag) })).statusCode).toBe(404);
  });

  it('is drawn once, however many ask', async () => {
    const faces: CardContent[] = [];
    const painter = app.parts.cardPainter;
    const draw = (face: CardContent, client?: string) => {
      faces.push(face);
      return painter.draw(face, client);
    };
    const other = await startNotebookApp({ overrides: { cardPainter: { draw, close: async () => {} } } });
    try {
      const made = await other.create({ title: 'Field notes', paper: 'kraft', pages });
      await Promise.all(Array.from({ length: 5 }, () => other.ask('GET', urls.notebookCard(made.slug))));
      expect(faces).toEqual([{ title: 'Field notes', description: 'First words of it', pages: 2, paper: 'kraft' }]);
    } finally {
      await other.close();
    }
  });

  it('is not drawn again after a restart; a notebook that was closed, deleted or has expired answers nothing of it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'octavo-cards-'));
    const env = { DATABASE_URL: `sqlite:${join(folder, 'o.db')}` };
    let drawn = 0;
    const draw = async (face: CardContent) => {
      drawn += 1;
      return Buffer.from(`png of ${face.title}`);
    };
    const start = () => startNotebookApp({ env, overrides: { cardPainter: { draw, close: async () => {} } } });
    const first = await start();
    const open = await first.create({ title: 'Open', pages });
    const others = await Promise.all(
      ['Private', 'Locked', 'Burning', 'Deleted', 'Expired'].map(title =>
        // An expiry of them all would hide what the other four answer.
        first.create({ title, pages, ...(title === 'Expired' && { expiresIn: '1h' }) }),
      ),
    );
    for (const { slug } of [open, ...others]) await first.ask('GET', urls.notebookCard(slug));
    const kept = async () =>
      (await Promise.all([open, ...others].map(({ slug }) => first.parts.store.findNotebookBySlug(slug)))).every(Boolean);
    expect([drawn, await kept()]).toEqual([6, true]);
    await first.close();

    const again = await start();
    try {
      const get = (slug: string) => again.ask('GET', urls.notebookCard(slug));
      expect((await get(open.slug)).body).toBe('png of Open');
      for (const { slug } of others) expect((await get(slug)).body).toMatch(/^png of/);
      expect(drawn).toBe(6);
      const [hidden, locked, burning, deleted, expired] = others as [
        CreatedNotebook,
        CreatedNotebook,
        CreatedNotebook,
        CreatedNotebook,
        CreatedNotebook,
      ];
      const change = ({ slug, editToken: token }: CreatedNotebook, body: object) =>
        again.ask('PATCH', `/api/notebooks/${slug}`, { token, body });
      await change(hidden, { visibility: 'private' });
      await change(locked, { password: 'open sesame' });
      await change(burning, { burnAfterRead: true });
      await again.ask('DELETE', `/api/notebooks/${deleted.slug}`, { token: deleted.editToken });
      again.clock.now += 2 * 3_600_000;
      const answers = await Promise.all([hidden, locked, burning, deleted, expired].map(({ slug }) => get(slug)));
      expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 401, 200, 404, 404]);
      for (const { body } of answers) expect(body).not.toContain('png of');
      expect((await get(open.slug)).body).toBe('png of Open');
      expect(drawn).toBe(6);
    } finally {
      await again.close();
      rmSync(folder, { recursive: true });
    }
  });

  it('is the one of all notebooks while none can be drawn, and nobody keeps that', async () => {
    const cardPainter = { draw: async () => undefined, close: async () => {} };
    const other = await startNotebookApp({ overrides: { cardPainter } });
    try {
      const made = await other.create({ title: 'Field notes', pages });
      const answer = await other.ask('GET', urls.notebookCard(made.slug));
      expect([answer.statusCode, answer.headers['cache-control'], answer.headers.etag]).toEqual([200, 'no-store', undefined]);
      expect(answer.rawPayload.equals((await other.ask('GET', urls.card())).rawPayload)).toBe(true);
    } finally {
      await other.close();
    }
  });
});
