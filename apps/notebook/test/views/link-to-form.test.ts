import { afterAll, beforeAll, expect, it } from 'vitest';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';
import { attribute, Parsed, textOf } from './parsed.ts';

let app: NotebookApp;
beforeAll(async () => {
  app = await startNotebookApp();
});
afterAll(() => app.close());

it('above many comments, a link leads to the form below them', async () => {
  const { slug } = await app.create({ pages: [{ markdown: 'words' }] });
  const comment = async (count: number) => {
    for (let made = 0; made < count; made += 1)
      expect((await app.ask('POST', `/api/notebooks/${slug}/comments`, { body: { body: 'Hello' } })).statusCode).toBe(201);
  };
  const look = async () => new Parsed({ html: (await app.ask('GET', `/n/${slug}`)).body });
  const linkIn = (parsed: Parsed) => parsed.all('a').find(link => textOf(link) === 'Write a comment');
  await comment(9);
  expect(linkIn(await look())).toBeUndefined();
  await comment(1);
  const parsed = await look();
  const form = parsed.all('details').find(box => attribute(box, 'id') === attribute(linkIn(parsed)!, 'href')?.slice(1));
  expect(textOf(form!)).toContain('Send the comment');
  expect(attribute(form!, 'open')).toBeDefined();
});
