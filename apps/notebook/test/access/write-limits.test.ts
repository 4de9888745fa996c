import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rateLimits } from '../../src/limits.ts';
import { engines } from '../support/engines.ts';
import { type AskOptions, type CreatedNotebook, type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

describe.each(engines)('writes of one address on $name', engine => {
  let app: NotebookApp;
  beforeAll(async () => {
    const env = { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1' };
    app = await startNotebookApp({ engine, env });
  });
  afterAll(() => app.close());

  const from = (address: string, options: AskOptions = {}) => ({ ...options, headers: { 'x-forwarded-for': address } });
  /** Forty at once: more would wait for a connection longer than a busy machine lets them. */
  const manyTimes = async <Answer>(times: number, ask: (turn: number) => Promise<Answer>) => {
    const answers: Answer[] = [];
    for (let from = 0; from < times; from += 40) {
      const some = Array.from({ length: Math.min(40, times - from) }, (_, turn) => ask(from + turn));
      answers.push(...(await Promise.all(some)));
    }
    return answers;
  };
  const countStatuses = (answers: { statusCode: number }[]) => {
    const counts: Record<number, number> = {};
    for (const { statusCode } of answers) counts[statusCode] = (counts[statusCode] ?? 0) + 1;
    return counts;
  };
  const save = ({ slug, editToken: token, pages }: CreatedNotebook, markdown: string, address = '192.0.2.1') =>
    app.ask(
      'PATCH',
      `/api/notebooks/${slug}/pages/${pages[0]!.id}`,
      from(address, { token, body: { markdown, autosave: true } }),
    );

  it('are 600 of content in ten minutes per notebook, counted exactly while they come at once', async () => {
    const [made, other] = [await app.create(), await app.create()];
    const answers = await manyTimes(620, turn => save(made, `text ${turn}`));
    expect(countStatuses(answers)).toEqual({ 200: rateLimits.contentWrite.max, 429: 20 });
    const refused = answers.find(({ statusCode }) => statusCode === 429)!;
    expect(refused.json()).toMatchObject({ code: 'rate_limited', detail: expect.stringMatching(/minutes/) });
    expect(Number(refused.headers['retry-after'])).toBe(600);
    expect((await save(other, 'another notebook')).statusCode).toBe(200);
    expect((await save(made, 'another address', '192.0.2.2')).statusCode).toBe(200);
    app.clock.now += 600_000;
    expect((await save(made, 'later')).statusCode).toBe(200);
  });

  it('are 200 new pages in ten minutes per notebook', async () => {
    const { slug, editToken: token, pages } = await app.create();
    const add = (address: string) => app.ask('POST', `/api/notebooks/${slug}/pages`, from(address, { token, body: {} }));
    for (let round = 0; round < 2; round++) {
      const added = await manyTimes(100, () => add('192.0.2.3'));
      expect(countStatuses(added)).toEqual({ 201: 100 });
      await Promise.all(
        added.map(answer => app.ask('DELETE', `/api/notebooks/${slug}/pages/${answer.json().id}`, from('192.0.2.4', { token }))),
      );
    }
    const refused = await add('192.0.2.3');
    expect([refused.statusCode, refused.json().code]).toEqual([429, 'rate_limited']);
    expect(Number(refused.headers['retry-after'])).toBe(600);
    expect((await add('192.0.2.5')).statusCode).toBe(201);
    expect(pages).toHaveLength(1);
  });

  it('are 60 of settings in ten minutes, whatever notebook they are for', async () => {
    const [one, two] = [await app.create(), await app.create()];
    const change = ({ slug, editToken: token }: CreatedNotebook, body: object, address = '192.0.2.6') =>
      app.ask('PATCH', `/api/notebooks/${slug}`, from(address, { token, body }));
    const answers = await Promise.all(
      Array.from({ length: 70 }, (_, turn) => change(turn % 2 ? one : two, { title: `Title ${turn}` })),
    );
    expect(countStatuses(answers)).toEqual({ 200: rateLimits.settings.max, 429: 10 });
    expect((await change(one, { password: 'never hashed' })).statusCode).toBe(429);
    expect((await change(one, { title: 'Elsewhere' }, '192.0.2.7')).statusCode).toBe(200);
  });

  it('are counted only where the edit token or open editing lets them', async () => {
    const made = await app.create();
    for (let turn = 0; turn < 5; turn++) {
      const answer = await app.ask(
        'PATCH',
        `/api/notebooks/${made.slug}/pages/${made.pages[0]!.id}`,
        from('192.0.2.8', { body: { markdown: 'x' } }),
      );
      expect(answer.statusCode).toBe(401);
    }
    expect(countStatuses(await manyTimes(600, turn => save(made, `text ${turn}`, '192.0.2.8')))).toEqual({ 200: 600 });
  });
});
