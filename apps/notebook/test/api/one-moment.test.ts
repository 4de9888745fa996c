import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BetweenQuestions } from '../support/between-questions.ts';
import { engines } from '../support/engines.ts';
import type { CreatedNotebook, NotebookApp, PageBody } from '../support/notebook-app.ts';

// An answer shows a notebook as it was at one moment, between whichever two questions to the database others change it.

interface Shown {
  readonly title: string;
  readonly pages: readonly PageBody[];
}

const key = 'k'.repeat(22);

describe.each(engines)('a notebook in an answer, on $name', engine => {
  let app: NotebookApp;
  const between = new BetweenQuestions();

  beforeAll(async () => {
    app = await between.start(engine, {
      // A picture is what it was asked to write on it.
      cardPainter: { draw: async content => Buffer.from(JSON.stringify(content)), close: async () => {} },
    });
  });
  afterAll(() => app.close());

  const ask = async (method: 'GET' | 'PATCH' | 'POST' | 'DELETE', url: string, token: string, body?: object) => {
    const answer = await app.ask(method, url, { token, ...(body && { body }) });
    if (answer.statusCode >= 300) throw new Error(`${method} ${url} answered ${answer.statusCode}`);
    return answer;
  };
  const create = (body: object) =>
    app.server.inject({ method: 'POST', url: '/api/notebooks', headers: { 'idempotency-key': key }, payload: body });

  /** The answers to a request which the other thing overtakes before its first question, its second, and so on. */
  async function* overtaken(
    other: (made: CreatedNotebook) => Promise<unknown>,
    asks: (made: CreatedNotebook) => Promise<Shown>,
    begins: object = { title: 'before', pages: [{ markdown: 'before' }] },
  ) {
    for (let question = 1; ; question++) {
      const made = (await create(begins)).json();
      const { slug } = made.notebook;
      const own: CreatedNotebook = { ...made, slug, pages: made.notebook.pages };
      let started: Promise<unknown> | undefined;
      between.questions = question;
      between.happens = () => {
        started = other(own);
        return started;
      };
      const shown = await asks(own);
      between.happens = undefined;
      // What draws in the background may have asked that question.
      await started;
      await app.ask('DELETE', `/api/notebooks/${slug}`, { token: own.editToken });
      if (!started) return;
      yield shown;
      // Others that have the same key now.
      await app.ask('DELETE', `/api/notebooks/${(shown as Shown & { slug?: string }).slug ?? slug}`, { token: own.editToken });
    }
  }

  const change = async ({ slug, editToken, pages }: CreatedNotebook) => {
    await ask('PATCH', `/api/notebooks/${slug}`, editToken, { title: 'after' });
    await ask('PATCH', `/api/notebooks/${slug}/pages/${pages[0]!.id}`, editToken, { markdown: 'after' });
    await ask('POST', `/api/notebooks/${slug}/pages`, editToken, { markdown: 'more' });
  };

  /** The title and the texts, one change after the other. */
  const moments = [
    ['before', 'before'],
    ['after', 'before'],
    ['after', 'after'],
    ['after', 'after', 'more'],
  ];

  it.each<[string, (made: CreatedNotebook) => Promise<Shown>]>([
    ['read', async ({ slug, editToken }) => (await ask('GET', `/api/notebooks/${slug}`, editToken)).json()],
    ['read by its edit token', async ({ editToken }) => (await ask('GET', '/api/notebook', editToken)).json()],
    ['created again', async () => (await create({ title: 'again' })).json().notebook],
    [
      'changed',
      async ({ slug, editToken }) => (await ask('PATCH', `/api/notebooks/${slug}`, editToken, { paper: 'grid' })).json(),
    ],
  ])('that is %s is as it was at one moment while others change it', async (_, asks) => {
    let answers = 0;
    for await (const { title, pages } of overtaken(change, asks)) {
      expect(moments).toContainEqual([title, ...pages.map(({ markdown }) => markdown)]);
      answers += 1;
    }
    expect(answers).toBeGreaterThan(1);
  });

  it.each(['', '/print', '.md', '?slides', '/embed', '/card.png'])('at /n/{slug}%s has the title of its text', async door => {
    let answers = 0;
    const asks = async ({ slug }: CreatedNotebook) => {
      const { body } = await app.ask('GET', `/n/${slug}${door}`);
      const words = new Set(body.match(/title-(?:before|after)|text-(?:before|after)/g));
      return { title: [...words].toSorted().join(' '), pages: [] };
    };
    const other = async ({ slug, editToken, pages }: CreatedNotebook) => {
      await ask('PATCH', `/api/notebooks/${slug}`, editToken, { title: 'title-after' });
      await ask('PATCH', `/api/notebooks/${slug}/pages/${pages[0]!.id}`, editToken, { markdown: 'text-after' });
    };
    const begins = { title: 'title-before', embedding: true, pages: [{ markdown: 'text-before' }] };
    for await (const { title } of overtaken(other, asks, begins)) {
      expect([
        'text-before title-before',
        'text-before title-after',
        'text-after title-after',
        'text-before',
        'text-after',
      ]).toContain(title);
      answers += 1;
    }
    expect(answers).toBeGreaterThan(1);
  });

  it('that is created again while it is deleted has its pages, or is a new one', async () => {
    let answers = 0;
    const gone = ({ slug, editToken }: CreatedNotebook) => ask('DELETE', `/api/notebooks/${slug}`, editToken);
    const asks = async () => (await create({ title: 'again', pages: [{ markdown: 'again' }] })).json().notebook;
    for await (const { title, pages } of overtaken(gone, asks)) {
      expect([answers, pages.map(({ markdown }) => markdown)]).toEqual([answers, [title]]);
      answers += 1;
    }
    expect(answers).toBeGreaterThan(1);
  });
});
