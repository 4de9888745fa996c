import decodeQR from 'qr/decode.js';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CreatedNotebook, type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

let app: NotebookApp;
beforeAll(async () => {
  app = await startNotebookApp();
});
afterAll(() => app.close());

const pages = [{ markdown: '# First\n\nalpha' }, { markdown: '# Second\n\nbeta' }];
const print = async ({ slug, editToken }: CreatedNotebook, query = '') =>
  app.ask('GET', `/n/${slug}/print${query}`, { token: editToken });

async function readQr(html: string): Promise<string> {
  const svg = /<svg class="qr-code".*?<\/svg>/s
    .exec(html)![0]
    .replace('<svg', '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400"');
  const { data, info } = await sharp(Buffer.from(svg)).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return decodeQR({ width: info.width, height: info.height, data: new Uint8ClampedArray(data) });
}

describe('the title sheet', () => {
  it.each([{ visibility: 'public' }, { visibility: 'unlisted' }])(
    'has the view link as a QR code when it is $visibility',
    async settings => {
      const made = await app.create({ ...settings, pages });
      const { body } = await print(made);
      expect(await readQr(body)).toBe(made.viewUrl);
      expect(body).not.toContain(made.editToken);
    },
  );

  it.each([
    ['private', { visibility: 'private' }],
    ['locked', { password: 'key' }],
    ['opened once', { burnAfterRead: true }],
  ])('has none when it is %s: the link tells less than the sheet', async (_, settings) => {
    const made = await app.create({ ...settings, pages });
    const { statusCode, body } = await print(made);
    expect(statusCode).toBe(200);
    expect(body).toContain('alpha');
    expect(body).not.toContain('qr-code');
    expect(body).not.toContain(made.viewUrl);
  });

  it('is followed by the contents, of a single page too', async () => {
    const made = await app.create({ pages: [{ markdown: '# Only\n\n## Below it\n\nalpha' }] });
    const { body } = await print(made);
    const contents = /<nav [^>]*class="book-contents".*?<\/nav>/s.exec(body)?.[0];
    expect(contents).toMatch(/<a [^>]*href="#[^"]+"[^>]*>.*Only.*Below it/s);
    for (const [, id] of contents!.matchAll(/href="#([^"]+)"/g)) expect(body).toContain(` id="${id}"`);
  });

  it('printed through the edit link shows the view link', async () => {
    const made = await app.create({ pages });
    const { body } = await app.ask('GET', `/e/${made.editToken}/print`);
    expect(await readQr(body)).toBe(made.viewUrl);
    expect(body).not.toContain(made.editToken);
  });
});

describe('the way back', () => {
  const long = `# Long\n\n${'words of a long page '.repeat(6_000)}`;
  const linksOf = (html: string) =>
    [...(/<div class="print-bar".*?<\/div>/s.exec(html)?.[0] ?? '').matchAll(/href="([^"]*)"/g)].map(([, href]) => href);
  const ownPrint = async ({ editToken }: CreatedNotebook, query = '') =>
    (await app.ask('GET', `/e/${editToken}/print${query}`)).body;

  it.each([
    ['private', { visibility: 'private' }],
    ['locked', { password: 'key' }],
    ['to be opened once', { burnAfterRead: true }],
    ['a large private one', { visibility: 'private', pages: [...pages, { markdown: long }] }],
  ])('leads the owner to the editor while the view link does not open: %s', async (_, settings) => {
    const made = await app.create({ pages, ...settings });
    for (const query of ['', `?page=${made.pages[1]!.id}`]) {
      const html = await ownPrint(made, query);
      expect(linksOf(html), query).toEqual([`/edit/${made.slug}`]);
      expect(html).toContain(`data-address="/edit/${made.slug}"`);
      expect(html).not.toContain(made.editToken);
    }
  });

  it('leads everybody else to the view, and the owner too while its link opens', async () => {
    const made = await app.create({ pages });
    const one = `?page=${made.pages[1]!.id}`;
    for (const html of [await ownPrint(made, one), (await app.ask('GET', `/n/${made.slug}/print${one}`)).body]) {
      expect(linksOf(html)).toEqual([`/n/${made.slug}`, `/n/${made.slug}/print`]);
      expect(html).toContain(`data-address="/n/${made.slug}/print"`);
    }
  });

  it('of an expired notebook is the editor, and its sheet shows no link to nothing', async () => {
    const made = await app.create({ pages, expiresAt: new Date(app.clock.now + 3_600_000).toISOString() });
    expect(linksOf(await ownPrint(made))).toEqual([`/n/${made.slug}`]);
    app.clock.now += 7_200_000;
    const html = await ownPrint(made);
    expect(linksOf(html)).toEqual([`/edit/${made.slug}`]);
    expect(html).not.toContain('qr-code');
  });
});

describe('one page by itself', () => {
  const long = `# Long\n\n${'words of a long page '.repeat(6_000)}`;

  it.each([
    ['a small notebook', pages],
    ['a large one, sent in pieces', [...pages, { markdown: long }]],
  ])('of %s', async (_, all) => {
    const made = await app.create({ title: 'Whole', pages: all });
    const { statusCode, body } = await print(made, `?page=${made.pages[1]!.id}`);
    expect(statusCode).toBe(200);
    expect(body).toContain('beta');
    expect(body).not.toMatch(/alpha|title-sheet|book-contents/);
    expect((await print(made)).body).toMatch(/title-sheet.*book-contents.*alpha.*beta/s);
  });

  it.each(['?page=nothing', '?page=', '?page=a&page=b'])('%s is no page', async query => {
    const small = await app.create({ pages });
    const large = await app.create({ pages: [{ markdown: long }] });
    expect((await print(small, query)).statusCode).toBe(404);
    expect((await print(large, query)).statusCode).toBe(404);
  });

  it('is linked from the view of a notebook with several pages', async () => {
    const made = await app.create({ pages });
    const view = await app.ask('GET', `/n/${made.slug}/p/${made.pages[1]!.id}`);
    expect(view.body).toContain(`href="/n/${made.slug}/print?page=${made.pages[1]!.id}"`);
  });
});
