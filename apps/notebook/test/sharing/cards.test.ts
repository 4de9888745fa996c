import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { urls } from '../../src/urls.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

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
      'og:image': 'http://localhost/card.png',
      'twitter:card': 'summary_large_image',
    });
    expect(answer.headers['x-robots-tag']).toBe(visibility === 'public' ? undefined : 'noindex');
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

  it('of a private one is no page at all', async () => {
    const made = await app.create({ visibility: 'private', title: 'Field notes', pages });
    const answer = await app.ask('GET', `/n/${made.slug}`);
    expect([answer.statusCode, cardOf(answer.body)]).toEqual([404, {}]);
    expect(cardOf((await app.ask('GET', `/n/${made.slug}`, { token: made.editToken })).body)).toEqual({});
  });

  it('shows a picture that is there, 1200 by 630 pixels', async () => {
    const answer = await app.ask('GET', urls.card());
    expect(answer.headers['content-type']).toBe('image/png');
    expect([answer.rawPayload.readUInt32BE(16), answer.rawPayload.readUInt32BE(20)]).toEqual([1200, 630]);
  });
});
