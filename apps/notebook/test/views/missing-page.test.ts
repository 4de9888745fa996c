import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { urls } from '../../src/urls.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';
import { attribute, Parsed, textOf } from './parsed.ts';

// Spec 1 §7: a notebook that does not exist is answered with a custom 404 page.
describe('the page for what is not there', () => {
  let app: NotebookApp;
  beforeAll(async () => {
    app = await startNotebookApp();
  });
  afterAll(() => app.close());

  const look = async (path: string) => {
    const answer = await app.ask('GET', path, { headers: { accept: 'text/html' } });
    return { answer, parsed: new Parsed({ html: answer.body }) };
  };

  it.each(['/n/nobody-made-this', '/n/nobody-made-this/print', '/n/nobody-made-this/p/abcdefgh', '/no/such/path'])(
    'is our own at %s: 404, a heading, what may have happened, a way home',
    async path => {
      const { answer, parsed } = await look(path);
      expect(answer.statusCode).toBe(404);
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
      const main = parsed.one('main');
      expect(attribute(main, 'class')).toContain('error-page');
      expect(parsed.all('h1').map(textOf)).toHaveLength(1);
      expect(textOf(parsed.all('h1')[0]!)).toBe('There is nothing here');
      expect(parsed.all('li').length).toBeGreaterThanOrEqual(3);
      const home = parsed.all('a').filter(link => attribute(link, 'class')?.includes('button'));
      expect(home.map(link => attribute(link, 'href'))).toContain(urls.home());
    },
  );

  it.each(['', '/print'])(
    'says of a dead edit link what may have happened to it, not to open it with the edit link: %s',
    async path => {
      const { answer, parsed } = await look(`/e/${'A'.repeat(43)}${path}`);
      expect(answer.statusCode).toBe(404);
      const said = textOf(parsed.one('main'));
      expect(said).toContain('This edit link doesn’t work.');
      expect(said).toContain('replaced by a newer one');
      expect(said).not.toContain('open it with its edit link');
    },
  );

  it('is there for a page without a name, no matter who has just looked at the notebook', async () => {
    const { slug } = await app.create({ pages: [{ markdown: 'words' }] });
    expect((await look(`/n/${slug}`)).answer.statusCode).toBe(200);
    expect((await look(`/n/${slug}/p/`)).answer.statusCode).toBe(404);
  });

  it.each(['/p/nothinghere0', '/p/nothinghere0?slides', '/print?page=nothinghere0', '/edit'])(
    'does not say that the notebook is gone when only %s is not there, and leads to it',
    async path => {
      const { slug } = await app.create({ title: 'Marmalade', pages: [{ markdown: 'words' }] });
      const { answer, parsed } = await look(`/n/${slug}${path}`);
      expect([answer.statusCode, answer.headers['cache-control'], answer.headers['x-robots-tag']]).toEqual([
        404,
        'no-store',
        'noindex',
      ]);
      expect(answer.body).not.toContain('We couldn’t find that notebook');
      const [first] = parsed.all('a').filter(link => attribute(link, 'class')?.includes('button'));
      expect(attribute(first!, 'href')).toBe(`/n/${slug}`);
    },
  );

  it('has a way to the editor where a notebook could be, and names no address', async () => {
    const waysAt = async (path: string) => {
      const { answer, parsed } = await look(path);
      expect(answer.body).not.toContain('/edit/');
      return parsed.all('a').filter(link => attribute(link, 'class')?.includes('own-edit')).length;
    };
    for (const path of ['/n/nobody-made-this', '/n/nobody-made-this/print?page=a', '/n/nobody-made-this.md'])
      expect(await waysAt(path)).toBe(1);
    for (const other of ['/n/Odd_one', '/n/%22%3E', `/n/${'x'.repeat(65)}`, '/no/such/path', '/'])
      expect(await waysAt(other)).toBe(0);
  });

  it('is the same for a notebook that never was and for a private one', async () => {
    const { slug } = await app.create({ slug: 'kept-to-myself', visibility: 'private' });
    const [never, hidden] = [await look('/n/nobody-made-this'), await look(`/n/${slug}`)];
    expect(hidden.answer.statusCode).toBe(404);
    expect(hidden.answer.body).toBe(never.answer.body);
  });
});
