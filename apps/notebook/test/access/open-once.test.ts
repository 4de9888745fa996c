import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/engines.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';
import { describeManyOpeners } from './many-openers.ts';

const words = 'read me once';

describe.each(engines)('burn after read on $name', engine => {
  let app: NotebookApp;
  beforeAll(async () => {
    app = await startNotebookApp({ engine });
  });
  afterAll(() => app.close());

  const burning = (more: object = {}) =>
    app.create({ title: 'Burning title', burnAfterRead: true, pages: [{ markdown: words }, { markdown: words }], ...more });
  const open = (slug: string, headers: Record<string, string> = {}) =>
    app.ask('POST', `/api/notebooks/${slug}/open`, { headers });
  const cookieOf = (answer: Awaited<ReturnType<typeof open>>) => String(answer.headers['set-cookie']).split(';')[0]!;

  it('burns nothing by looking: bots, prefetch, HEAD, and the owner', async () => {
    const { slug, editToken, pages } = await burning();
    const looks = [
      await app.ask('GET', `/n/${slug}`, { headers: { 'user-agent': 'Slackbot-LinkExpanding 1.0' } }),
      await app.ask('GET', `/n/${slug}`, { headers: { 'sec-purpose': 'prefetch' } }),
      await app.ask('HEAD', `/n/${slug}`),
      await app.ask('GET', `/n/${slug}/p/${pages[1]!.id}`),
      await app.ask('GET', `/n/${slug}/print`),
      await app.ask('GET', `/n/${slug}.md`),
    ];
    for (const look of looks) {
      expect(look.statusCode).toBe(200);
      expect(look.headers['cache-control']).toBe('no-store');
      expect(look.headers['x-robots-tag']).toBe('noindex');
      expect(look.body).not.toMatch(/Burning title|read me once/);
    }
    for (const door of [
      `/api/notebooks/${slug}`,
      `/api/notebooks/${slug}/pages/${pages[0]!.id}`,
      `/api/notebooks/${slug}/comments`,
    ]) {
      expect([door, (await app.ask('GET', door)).statusCode]).toEqual([door, 404]);
    }
    for (const door of [`/n/${slug}`, `/n/${slug}/print`, `/api/notebooks/${slug}`])
      expect((await app.ask('GET', door, { token: editToken })).body).toContain(words);
    expect((await app.ask('GET', `/e/${editToken}/print`)).body).toContain(words);
    expect((await app.ask('GET', '/api/notebook', { token: editToken })).json()).toMatchObject({
      openedAt: null,
      lifecycle: 'active',
    });
  });

  it('opens for one reader, who may reload, print and copy for ten minutes; everybody after finds nothing', async () => {
    const { slug, editToken, pages } = await burning();
    const answer = await open(slug);
    expect([answer.statusCode, answer.headers.location]).toEqual([303, `/n/${slug}`]);
    const header = String(answer.headers['set-cookie']);
    expect(header).toMatch(/HttpOnly/i);
    expect(header).toMatch(/Max-Age=600/);
    const cookie = cookieOf(answer);
    const doors = [`/n/${slug}`, `/n/${slug}/p/${pages[1]!.id}`, `/n/${slug}/print`, `/n/${slug}.md`];
    for (const door of [...doors, ...doors]) {
      const read = await app.ask('GET', door, { headers: { cookie } });
      expect([door, read.statusCode]).toEqual([door, 200]);
      expect(read.body).toContain(words);
      expect(read.headers['cache-control']).toBe('no-store');
    }
    for (const door of [...doors, `/api/notebooks/${slug}`]) {
      const late = await app.ask('GET', door);
      expect([door, late.statusCode]).toEqual([door, 404]);
      expect(late.body).not.toMatch(/Burning title|read me once/);
    }
    expect((await open(slug)).statusCode).toBe(404);
    const owned = (await app.ask('GET', '/api/notebook', { token: editToken })).json();
    expect(owned).toMatchObject({ lifecycle: 'burned', openedAt: new Date(app.clock.now).toISOString() });
    app.clock.now += 10 * 60_000 - 1;
    expect((await app.ask('GET', `/n/${slug}`, { headers: { cookie } })).statusCode).toBe(200);
    app.clock.now += 1;
    expect((await app.ask('GET', `/n/${slug}`, { headers: { cookie } })).statusCode).toBe(404);
  });

  it('tells its one reader how long it stays, and its owner nothing of that, no matter who looks first', async () => {
    const { slug, editToken, pages } = await burning();
    const headers = { cookie: cookieOf(await open(slug)) };
    const [first, second] = [`/n/${slug}`, `/n/${slug}/p/${pages[1]!.id}`];
    // Nobody else would ever read a comment of the reader.
    const tells = async (door: string, proof: object) => {
      const { body } = await app.ask('GET', door, proof);
      return ['Only you can read this', 'Write a comment'].filter(told => body.includes(told));
    };
    const looks = [await tells(first, { headers }), await tells(first, { token: editToken })];
    looks.push(await tells(second, { token: editToken }), await tells(second, { headers }));
    const [ofReader, ofOwner] = [['Only you can read this'], ['Write a comment']];
    expect(looks).toEqual([ofReader, ofOwner, ofOwner, ofReader]);
  });

  it('asks for the password before the claim, and a wrong one burns nothing', async () => {
    const { slug } = await burning({ password: 'key' });
    expect((await app.ask('GET', `/n/${slug}`)).statusCode).toBe(401);
    const early = await open(slug);
    expect([early.statusCode, early.json().code]).toEqual([401, 'password_required']);
    await app.ask('POST', `/api/notebooks/${slug}/unlock`, { body: { password: 'wrong' } });
    const unlocked = cookieOf(await app.ask('POST', `/api/notebooks/${slug}/unlock`, { body: { password: 'key' } }));
    const page = await app.ask('GET', `/n/${slug}`, { headers: { cookie: unlocked } });
    expect([page.statusCode, page.body.includes(words)]).toEqual([200, false]);
    const opened = await open(slug, { cookie: unlocked });
    expect(opened.statusCode).toBe(303);
    expect((await app.ask('GET', `/n/${slug}`, { headers: { cookie: cookieOf(opened) } })).body).toContain(words);
    expect((await app.ask('GET', `/n/${slug}`, { headers: { cookie: unlocked } })).statusCode).toBe(404);
  });

  it('does not burn for the owner, for a page of another site, nor what is not burn-after-read', async () => {
    const { slug, editToken } = await burning();
    const evil = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    // Without a cookie too: a reader's browser sends none to a page that it has not opened yet.
    for (const headers of [{ ...evil, cookie: 'a=b' }, evil, { origin: evil.origin }]) {
      const foreign = await open(slug, headers);
      expect([foreign.statusCode, foreign.json().code]).toEqual([403, 'forbidden']);
    }
    const plain = await app.create();
    expect((await open(plain.slug)).statusCode).toBe(404);
    expect((await app.ask('GET', '/api/notebook', { token: editToken })).json().openedAt).toBeNull();
  });

  it('tells who comes too late by the button on a page, not in JSON', async () => {
    const { slug } = await burning();
    await open(slug);
    const late = await app.ask('POST', `/api/notebooks/${slug}/open`, {
      body: '',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect([late.statusCode, late.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(late.body).toContain('<h1>There is nothing here</h1>');
    expect((await open(slug)).json().code).toBe('not_found');
  });

  it('opens again after the owner switched burning off and on', async () => {
    const { slug, editToken } = await burning();
    await open(slug);
    for (const burnAfterRead of [false, true])
      await app.ask('PATCH', `/api/notebooks/${slug}`, { body: { burnAfterRead }, token: editToken });
    expect((await open(slug)).statusCode).toBe(303);
  });
});

// Were the claim not one statement, the first round would show it. The long run has more (open-once.long.ts).
describeManyOpeners(12);
