import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../src/limits.ts';
import { listReports } from '../../src/operations/list-reports.ts';
import { takeDown } from '../../src/operations/take-down.ts';
import { indexAll, make, noon } from '../store/contract/subject.ts';
import { openSubject } from '../store/open-subject.ts';
import { engines } from '../support/engines.ts';
import { type CreatedNotebook, type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

const form = { 'content-type': 'application/x-www-form-urlencoded' };

describe.each(engines)('reports on $name', engine => {
  let app: NotebookApp;
  beforeAll(async () => {
    app = await startNotebookApp({ engine });
  });
  afterAll(() => app.close());

  const report = (slug: string, body: unknown, headers: Record<string, string> = {}) =>
    app.ask('POST', `/api/notebooks/${slug}/reports`, { body, headers });
  const reportsOf = async (slug: string) => (await listReports(app.parts)).filter(found => found.slug === slug);

  it('reach the operator, newest first, with nothing that says who sent them', async () => {
    const { slug } = await app.create();
    const answer = await report(slug, { reason: 'phishing', detail: ' It asks for\r\nmy password ' });
    expect([answer.statusCode, answer.json()]).toEqual([202, { reported: true }]);
    expect((await report(slug, { reason: 'spam' })).statusCode).toBe(202);
    const found = await reportsOf(slug);
    expect(found.map(({ reason, detail, state }) => [reason, detail, state])).toEqual([
      ['spam', '', 'there'],
      ['phishing', 'It asks for\nmy password', 'there'],
    ]);
    expect(Object.keys(found[0]!).sort()).toEqual(['createdAt', 'detail', 'id', 'notebookId', 'reason', 'slug', 'state']);
  });

  it.each([
    ['no reason', {}, 'reason'],
    ['an empty reason', { reason: ' ' }, 'reason'],
    ['a reason of 201 characters', { reason: 'ä'.repeat(201) }, 'reason'],
    ['a number for a reason', { reason: 1 }, 'reason'],
    ['an unknown field', { reason: 'spam', email: 'x' }, 'email'],
    ['2,001 characters', { reason: 'spam', detail: 'ä'.repeat(2_001) }, 'detail'],
    ['a number for a text', { reason: 'spam', detail: 1 }, 'detail'],
  ])('are refused with %s, by name', async (_what, body, path) => {
    const { slug } = await app.create();
    const answer = await report(slug, body);
    expect([answer.statusCode, answer.json().code, answer.json().errors[0].path]).toEqual([422, 'invalid', path]);
    expect(await reportsOf(slug)).toEqual([]);
  });

  it.each([
    [{ reason: 'Phishing ' }, { reason: 'phishing', detail: '' }],
    [{ reason: 'It copies our site' }, { reason: 'other', detail: 'It copies our site' }],
    [
      { reason: 'abuse', detail: 'See page 2' },
      { reason: 'other', detail: 'abuse\nSee page 2' },
    ],
    [{ reason: '🙂'.repeat(limits.maxReportReasonChars) }, { reason: 'other', detail: '🙂'.repeat(limits.maxReportReasonChars) }],
  ])('may give a reason in other words: %j', async (body, kept) => {
    const { slug } = await app.create();
    expect((await report(slug, body)).statusCode).toBe(202);
    expect(await reportsOf(slug)).toMatchObject([kept]);
  });

  it('may be 2,000 characters long, emoji counted as one', async () => {
    const { slug } = await app.create();
    expect((await report(slug, { reason: 'other', detail: '🙂'.repeat(limits.maxReportDetailChars) })).statusCode).toBe(202);
  });

  it('are made by who may read, and tell nobody else that something is there', async () => {
    const statusOf = async (slug: string) => (await report(slug, { reason: 'spam' })).statusCode;
    const hidden = await app.create({ visibility: 'private' });
    const locked = await app.create({ password: 'open sesame' });
    const once = await app.create({ burnAfterRead: true });
    const gone = await app.create();
    await app.ask('DELETE', `/api/notebooks/${gone.slug}`, { token: gone.editToken });
    expect(await Promise.all([hidden, locked, once, gone].map(({ slug }) => statusOf(slug)))).toEqual([404, 401, 404, 404]);
    expect(await statusOf('nothing-here')).toBe(404);
    for (const { slug } of [hidden, once, gone])
      expect((await app.ask('GET', `/n/${slug}/report`)).statusCode).toBe(slug === once.slug ? 200 : 404);
    const form = await app.ask('GET', `/n/${once.slug}/report`);
    expect(form.body).toContain('opens once');
    expect((await app.ask('GET', `/n/${locked.slug}/report`)).statusCode).toBe(401);
    expect(await listReports(app.parts)).not.toContainEqual(expect.objectContaining({ slug: hidden.slug }));
  });

  it('are linked from every view and sent from a page that needs no script', async () => {
    const { slug, pages } = await app.create({ title: 'Marmalade', pages: [{ markdown: 'a' }, { markdown: 'b' }] });
    for (const path of [`/n/${slug}`, `/n/${slug}/p/${pages[1]!.id}`])
      expect((await app.ask('GET', path)).body).toContain(`href="/n/${slug}/report"`);
    const page = await app.ask('GET', `/n/${slug}/report`);
    expect([page.statusCode, page.headers['cache-control'], page.headers['x-robots-tag']]).toEqual([200, 'no-store', 'noindex']);
    expect(page.body).toContain(`<form class="stack" method="post" action="/api/notebooks/${slug}/reports"`);
    expect(page.body).not.toContain('Marmalade');
    const sent = await report(slug, 'reason=illegal&detail=Line+one%0D%0ALine+two', form);
    expect([sent.statusCode, sent.headers.location]).toEqual([303, `/n/${slug}/report?sent=1`]);
    expect((await app.ask('GET', `/n/${slug}/report?sent=1`)).body).toContain('Thank you');
    expect((await reportsOf(slug))[0]).toMatchObject({ reason: 'illegal', detail: 'Line one\nLine two' });
  });

  it('show the form again with what was written, escaped', async () => {
    const { slug } = await app.create();
    const detail = `</textarea><script>alert(1)</script>${'x'.repeat(2_000)}`;
    const again = await report(slug, new URLSearchParams({ reason: 'spam', detail }).toString(), form);
    expect([again.statusCode, again.headers['content-type']]).toEqual([422, 'text/html; charset=utf-8']);
    expect(again.body).toContain('&lt;/textarea>');
    expect(again.body).not.toContain('<script>alert');
    expect(again.body).toContain('role="alert"');
  });

  it('that are too long come back with every word and the reason', async () => {
    const { slug } = await app.create();
    const again = await report(slug, `reason=other&detail=${'x'.repeat(2_001)}`, form);
    expect(again.statusCode).toBe(422);
    expect(again.body).toMatch(/role="alert"[^<]*>The text for the operator must have at most 2000 characters; it has 2001\./);
    expect(again.body).toContain(`>${'x'.repeat(2_001)}</textarea>`);
    expect(again.body).not.toMatch(/<textarea[^>]* maxlength/i);
  });

  it('that were written while the notebook was locked come back with every word', async () => {
    const { slug } = await app.create({ title: 'Marmalade', password: 'open sesame' });
    const again = await report(slug, 'reason=spam&detail=Half+an+hour+of+words', form);
    expect([again.statusCode, again.headers['cache-control']]).toEqual([401, 'no-store']);
    expect(again.headers['www-authenticate']).toBeTruthy();
    expect(again.body).toContain('Unlock it in a new tab, then send the report here.');
    expect(again.body).toContain('Half an hour of words</textarea>');
    expect(again.body).toContain(`href="/n/${slug}" target="_blank"`);
    expect(again.body).not.toContain('Marmalade');
  });

  it('of a notebook that is gone have reached their end: there is no form to send again', async () => {
    const { slug, editToken } = await app.create();
    await app.ask('DELETE', `/api/notebooks/${slug}`, { token: editToken });
    const late = await report(slug, 'reason=spam&detail=Too+late', form);
    expect([late.statusCode, late.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(late.body).not.toContain('<textarea');
  });

  it('outlive their notebook as an address and a reason, without a word that could quote it', async () => {
    const { slug, editToken } = await app.create();
    await report(slug, { reason: 'privacy', detail: 'It says "Zwetschgenknödel"' });
    await app.ask('DELETE', `/api/notebooks/${slug}`, { token: editToken });
    expect(await reportsOf(slug)).toMatchObject([{ reason: 'privacy', detail: '', state: 'gone' }]);
  });
});

describe.each(engines)('taking down on $name', engine => {
  let app: NotebookApp;
  let made: CreatedNotebook;
  beforeAll(async () => {
    app = await startNotebookApp({ engine });
    made = await app.create({ pages: [{ markdown: '# Contraband' }] });
  });
  afterAll(() => app.close());

  it('answers 410 at every door to everybody, and is taken back without a loss', async () => {
    const { slug, editToken, pages } = made;
    const page = `/api/notebooks/${slug}/pages/${pages[0]!.id}`;
    const html = [
      `/n/${slug}`,
      `/n/${slug}/p/${pages[0]!.id}`,
      `/n/${slug}/print`,
      `/n/${slug}.md`,
      `/n/${slug}/report`,
      `/e/${editToken}`,
    ];
    const api = [`/api/notebooks/${slug}`, page, `/api/notebooks/${slug}/comments`];
    const before = await app.ask('GET', `/n/${slug}`);
    expect(before.statusCode).toBe(200);
    expect(await takeDown(app.parts, slug)).toBe('changed');
    expect(await takeDown(app.parts, slug)).toBe('unchanged');
    const known = { 'if-none-match': before.headers.etag as string };
    for (const door of [...html, ...api]) {
      for (const ask of [{}, { token: editToken }, { headers: known }]) {
        const answer = await app.ask('GET', door, ask);
        expect([door, answer.statusCode]).toEqual([door, 410]);
        expect(answer.body).not.toContain('Contraband');
      }
    }
    const view = await app.ask('GET', `/n/${slug}`);
    expect(view.headers['content-type']).toContain('text/html');
    expect(view.body).toContain('removed by the operator');
    const change = await app.ask('PATCH', page, { body: { markdown: 'x' }, token: editToken });
    expect([change.statusCode, change.json().code]).toEqual([410, 'taken_down']);
    expect(await takeDown(app.parts, slug, true)).toBe('changed');
    expect(await takeDown(app.parts, slug, true)).toBe('unchanged');
    expect((await app.ask('GET', `/n/${slug}.md`)).body).toBe('# Contraband\n');
    expect(await takeDown(app.parts, 'nothing-here')).toBe('missing');
  });
});

describe.each(engines)('a taken-down notebook on $name', engine => {
  it('is found no more at once, then leaves the text index, and is found again when it is back', async () => {
    const subject = await openSubject(engine);
    const { notebook, pages } = await make(subject.store, { visibility: 'public' }, ['# Contraband']);
    const found = () => subject.search('contraband');
    const shown = async () =>
      (await subject.store.searchPublic({ query: 'contraband', limit: 20, offset: 0, now: noon })).map(({ page }) => page.id);
    await indexAll(subject.store);
    expect(await found()).toEqual([pages[0]!.id]);
    expect(await shown()).toEqual([pages[0]!.id]);
    await takeDown({ store: subject.store, now: () => noon }, notebook.slug);
    // Before anything worked at the index.
    expect(await shown()).toEqual([]);
    await indexAll(subject.store);
    expect(await found()).toEqual([]);
    await takeDown({ store: subject.store, now: () => noon }, notebook.slug, true);
    await indexAll(subject.store);
    expect(await found()).toEqual([pages[0]!.id]);
    await subject.close();
  });
});

it('no more than 20 reports in ten minutes are taken from one address', async () => {
  const app = await startNotebookApp({ env: { RATE_LIMITS: 'on' } });
  const { slug } = await app.create();
  const report = (body: unknown, headers = {}) => app.ask('POST', `/api/notebooks/${slug}/reports`, { body, headers });
  const answers = await Promise.all(Array.from({ length: 30 }, () => report({ reason: 'spam' })));
  const counts = Object.groupBy(answers, ({ statusCode }) => String(statusCode));
  expect([counts['202']?.length, counts['429']?.length]).toEqual([20, 10]);
  const again = await report('reason=spam&detail=kept', form);
  expect([again.statusCode, again.headers['retry-after']]).toEqual([429, '600']);
  expect(again.body).toContain('kept</textarea>');
  app.clock.now += 600_000;
  expect((await report({ reason: 'spam' })).statusCode).toBe(202);
  await app.close();
});
