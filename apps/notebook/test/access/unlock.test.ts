import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Refusal } from '../../src/errors.ts';
import { createPasswords } from '../../src/operations/passwords.ts';
import { engines } from '../support/engines.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

const words = 'the secret words';

describe.each(engines)('a password on $name', engine => {
  let app: NotebookApp;
  beforeAll(async () => {
    // The lowest cost that bcrypt has; one test below pays the real one.
    app = await startNotebookApp({ engine, env: { RATE_LIMITS: 'on' } });
  });
  afterAll(() => app.close());

  const locked = (password = 'correct horse') =>
    app.create({ title: 'Hidden title', password, pages: [{ markdown: words }, { markdown: words }] });
  const unlock = (slug: string, password: string) => app.ask('POST', `/api/notebooks/${slug}/unlock`, { body: { password } });
  const cookieOf = (answer: Awaited<ReturnType<typeof unlock>>) => String(answer.headers['set-cookie']).split(';')[0]!;
  const view = (slug: string, cookie: string) => app.ask('GET', `/n/${slug}`, { headers: { cookie } });

  it('shows a form and nothing of title or text at every door', async () => {
    const { slug, pages } = await locked();
    for (const door of [`/n/${slug}`, `/n/${slug}/p/${pages[1]!.id}`, `/n/${slug}/print`, `/n/${slug}.md`]) {
      const answer = await app.ask('GET', door);
      expect([door, answer.statusCode]).toEqual([door, 401]);
      expect(answer.headers['www-authenticate']).toBeTruthy();
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.body).not.toMatch(/Hidden title|secret words/);
      expect(answer.body).toContain(`action="/api/notebooks/${slug}/unlock"`);
    }
    for (const door of [
      `/api/notebooks/${slug}`,
      `/api/notebooks/${slug}/pages/${pages[0]!.id}`,
      `/api/notebooks/${slug}/comments`,
    ]) {
      const answer = await app.ask('GET', door);
      expect([door, answer.statusCode, answer.json().code]).toEqual([door, 401, 'password_required']);
    }
  });

  it('counts no try that nobody checked', async () => {
    const { slug } = await locked();
    const { passwords } = app.parts;
    const busy = () => Promise.reject(new Refusal('unavailable', { retryAfterSeconds: 1 }));
    const matches = vi.spyOn(passwords, 'matches').mockImplementation(busy);
    for (let tries = 0; tries < 11; tries++) expect((await unlock(slug, 'correct horse')).statusCode).toBe(503);
    matches.mockRestore();
    expect((await unlock(slug, 'correct horse')).statusCode).toBe(204);
  });

  it('opens every door with the cookie of a right password, for 24 hours', async () => {
    const { slug } = await locked();
    const answer = await unlock(slug, 'correct horse');
    expect(answer.statusCode).toBe(204);
    const header = String(answer.headers['set-cookie']);
    expect(header).toMatch(new RegExp(`^nb_unlock_${slug}=`));
    expect(header).toMatch(/HttpOnly/i);
    expect(header).toMatch(/SameSite=Lax/i);
    expect(header).toMatch(/Max-Age=86400/);
    const cookie = cookieOf(answer);
    for (const door of [`/n/${slug}`, `/n/${slug}/print`, `/n/${slug}.md`, `/api/notebooks/${slug}`]) {
      const opened = await app.ask('GET', door, { headers: { cookie } });
      expect([door, opened.statusCode]).toEqual([door, 200]);
      expect(opened.body).toContain(words);
      expect(opened.headers['cache-control']).toBe('no-store');
    }
    app.clock.now += 86_400_000 - 1;
    expect((await view(slug, cookie)).statusCode).toBe(200);
    app.clock.now += 1;
    expect((await view(slug, cookie)).statusCode).toBe(401);
  });

  it('works as a form, without JavaScript', async () => {
    const { slug } = await locked();
    const form = (password: string) =>
      app.ask('POST', `/api/notebooks/${slug}/unlock`, {
        body: `password=${encodeURIComponent(password)}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
    const wrong = await form('wrong');
    expect(wrong.statusCode).toBe(401);
    expect(wrong.headers['content-type']).toContain('text/html');
    expect(wrong.body).toContain('That password is wrong.');
    const right = await form('correct horse');
    expect([right.statusCode, right.headers.location]).toEqual([303, `/n/${slug}`]);
    expect((await view(slug, cookieOf(right))).statusCode).toBe(200);
  });

  it('leads to the page that was asked for, by its id or its words', async () => {
    const { slug } = await app.create({ password: 'correct horse', pages: [{ markdown: '# One' }, { markdown: '# 二ページ' }] });
    const form = (fields: Record<string, string>) =>
      app.ask('POST', `/api/notebooks/${slug}/unlock`, {
        body: new URLSearchParams(fields).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
    const page = `/n/${slug}/p/${encodeURIComponent('二ページ')}`;
    const pageIdIn = (body: string) => /name="pageId" value="([^"]*)"/.exec(body)?.[1];
    const locked = await app.ask('GET', page);
    const wrong = await form({ password: 'wrong', pageId: pageIdIn(locked.body) ?? '' });
    expect([wrong.statusCode, pageIdIn(wrong.body)]).toEqual([401, '二ページ']);
    const right = await form({ password: 'correct horse', pageId: pageIdIn(wrong.body)! });
    expect([right.statusCode, right.headers.location]).toEqual([303, page]);
    expect((await app.ask('GET', page, { headers: { cookie: cookieOf(right) } })).body).toContain('二ページ</h1>');
    expect(pageIdIn((await app.ask('GET', `/n/${slug}`)).body)).toBeUndefined();
    // No page has such a long name, and the form can be sent all the same.
    expect(pageIdIn((await app.ask('GET', `/n/${slug}/p/${'x'.repeat(300)}`)).body)).toBeUndefined();
  });

  it('counts no try, and gives no cookie, that another site sends', async () => {
    const { slug } = await locked();
    for (let tries = 0; tries < 11; tries += 1) {
      const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
      const foreign = await app.ask('POST', `/api/notebooks/${slug}/unlock`, { body: { password: 'correct horse' }, headers });
      expect([foreign.statusCode, foreign.json().code, foreign.headers['set-cookie']]).toEqual([403, 'forbidden', undefined]);
    }
    expect((await unlock(slug, 'correct horse')).statusCode).toBe(204);
  });

  it('refuses the cookie of another notebook, a forged one, and one from before a change of password', async () => {
    const one = await locked();
    const other = await locked();
    const cookie = cookieOf(await unlock(one.slug, 'correct horse'));
    const value = cookie.split('=')[1]!;
    expect((await view(other.slug, cookie)).statusCode).toBe(401);
    expect((await view(other.slug, `nb_unlock_${other.slug}=${value}`)).statusCode).toBe(401);
    const later = value.replace(/^\d+/, expiry => String(Number(expiry) + 1));
    for (const forged of [later, `${value}x`, 'x', '', `9999999999999.${'A'.repeat(43)}`]) {
      expect((await view(one.slug, `nb_unlock_${one.slug}=${forged}`)).statusCode).toBe(401);
    }
    expect((await view(one.slug, cookie)).statusCode).toBe(200);
    // The same password again: still another hash, so readers who were let in before are asked again.
    await app.ask('PATCH', `/api/notebooks/${one.slug}`, { body: { password: 'correct horse' }, token: one.editToken });
    expect((await view(one.slug, cookie)).statusCode).toBe(401);
    await app.ask('PATCH', `/api/notebooks/${one.slug}`, { body: { password: null }, token: one.editToken });
    expect((await app.ask('GET', `/n/${one.slug}`)).statusCode).toBe(200);
  });

  it('limits 200 wrong passwords to 10 in 10 minutes, and the right one works after the window', async () => {
    const { slug } = await locked();
    const answers = await Promise.all(Array.from({ length: 200 }, (_, at) => unlock(slug, `wrong ${at}`)));
    const counts = Object.groupBy(answers, answer => String(answer.statusCode));
    expect([counts['401']?.length, counts['429']?.length]).toEqual([10, 190]);
    expect(counts['401']![0]!.json().code).toBe('password_wrong');
    const limited = await unlock(slug, 'correct horse');
    expect([limited.statusCode, limited.json().code, limited.headers['retry-after']]).toEqual([429, 'rate_limited', '600']);
    const elsewhere = await locked();
    expect((await unlock(elsewhere.slug, 'correct horse')).statusCode).toBe(204);
    app.clock.now += 600_000;
    expect((await unlock(slug, 'correct horse')).statusCode).toBe(204);
  });

  it('takes 72 bytes whole and never lets a longer one match its first 72', async () => {
    const exact = 'ä'.repeat(36);
    const { slug } = await locked(exact);
    expect((await unlock(slug, `${exact}x`)).statusCode).toBe(401);
    expect((await unlock(slug, exact)).statusCode).toBe(204);
  });

  it('tells the owner that there is a password, and nobody what its hash is', async () => {
    const { slug, editToken, notebook } = await locked();
    expect(notebook.hasPassword).toBe(true);
    const owned = await app.ask('GET', `/api/notebooks/${slug}`, { token: editToken });
    expect(owned.body).not.toContain('$2b$');
  });
});

it('stores bcrypt hashes at cost 12', async () => {
  // The service's own, not those of tests.
  const overrides: object = { passwords: undefined };
  const app = await startNotebookApp({ overrides });
  const { slug } = await app.create({ password: 'x' });
  expect((await app.parts.store.findNotebookBySlug(slug))?.passwordHash).toMatch(/^\$2b\$12\$/);
  await app.close();
});

it('answers 503 when too many passwords wait', async () => {
  const passwords = createPasswords(8);
  const hash = await passwords.hash('x');
  const answers = await Promise.allSettled(
    Array.from({ length: 60 }, (_, turn) => passwords.matches('y', hash, `client ${turn}`)),
  );
  const refused = answers.filter(answer => answer.status === 'rejected');
  expect(refused).toHaveLength(60 - 34);
  const ofOne = await Promise.allSettled(Array.from({ length: 60 }, () => passwords.matches('y', hash, 'one client')));
  expect(ofOne.filter(answer => answer.status === 'rejected')).toHaveLength(60 - 18);
  expect((refused[0] as PromiseRejectedResult).reason.code).toBe('unavailable');
});
