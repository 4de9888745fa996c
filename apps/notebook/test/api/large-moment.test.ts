import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBook } from '../book/epub-file.ts';
import { BetweenQuestions } from '../support/between-questions.ts';
import { engines } from '../support/engines.ts';
import type { CreatedNotebook, NotebookApp } from '../support/notebook-app.ts';

// A notebook too large for memory is read page by page, and is answered as it was at one moment all the same: words that are moved from one
// page to another meanwhile are in one of them.

const words = 'some words of it '.repeat(3_000);
/** Each page says which change it has seen. */
const textOf = (page: number, change: number) => `needle page-${page}-${change} ${words}`;
const count = 12;
const key = 'm'.repeat(22);

describe.each(engines)('a notebook of many long pages, on $name', engine => {
  let app: NotebookApp;
  let origin: string;
  let made: CreatedNotebook;
  let changes = 0;
  const between = new BetweenQuestions();

  beforeAll(async () => {
    app = await between.start(engine);
    origin = await app.listen();
    const answer = await app.server.inject({
      method: 'POST',
      url: '/api/notebooks',
      headers: { 'idempotency-key': key },
      payload: {
        title: 'title-0',
        visibility: 'public',
        pages: Array.from({ length: count }, (_, page) => ({ markdown: textOf(page, 0) })),
      },
    });
    const created = answer.json();
    made = { ...created, slug: created.notebook.slug, pages: created.notebook.pages };
  });
  afterAll(() => app.close());

  const ask = async (method: 'GET' | 'PATCH' | 'POST', url: string, headers: Record<string, string> = {}, body?: object) => {
    const answer = await app.server.inject({
      method,
      url,
      headers: { 'x-edit-token': made.editToken, ...headers },
      ...(body && { payload: body }),
    });
    if (answer.statusCode >= 300) throw new Error(`${method} ${url} answered ${answer.statusCode}`);
    return answer;
  };

  /** The title, then the first page, then the last: each a change of its own. */
  const change = async () => {
    changes += 1;
    const path = `/api/notebooks/${made.slug}`;
    await ask('PATCH', path, {}, { title: `title-${changes}` });
    for (const page of [0, count - 1])
      await ask('PATCH', `${path}/pages/${made.pages[page]!.id}`, {}, { markdown: textOf(page, changes) });
  };

  /** What an answer says: the change that the title, the first and the last page have seen, as far as they are in it. */
  function seenIn(text: string): string {
    const last = (pattern: RegExp) => [...new Set([...text.matchAll(pattern)].map(([, number]) => number))].join('/');
    return [last(/title-(\d+)/g), last(/page-0-(\d+)/g), last(new RegExp(`page-${count - 1}-(\\d+)`, 'g'))].join(' ');
  }
  function momentsOf(before: number, now: number): string[] {
    return [`${before} ${before} ${before}`, `${now} ${before} ${before}`, `${now} ${now} ${before}`, `${now} ${now} ${now}`];
  }
  const withoutTitle = (moment: string) => moment.replace(/^\d+/, '');

  const doors: [string, () => Promise<string>, untitled?: 'untitled'][] = [
    ['the API', async () => (await ask('GET', `/api/notebooks/${made.slug}`)).body],
    ['the editor', async () => (await ask('GET', '/api/notebook')).body],
    [
      'the API as text',
      async () => (await ask('GET', `/api/notebooks/${made.slug}`, { accept: 'text/markdown' })).body,
      'untitled',
    ],
    [
      'the answer of a changed setting',
      async () => (await ask('PATCH', `/api/notebooks/${made.slug}`, {}, { readOnly: false })).body,
    ],
    [
      'the answer that it was created before',
      async () => (await ask('POST', '/api/notebooks', { 'idempotency-key': key }, { title: 'again' })).body,
    ],
    ['the Markdown', async () => (await ask('GET', `/n/${made.slug}.md`)).body, 'untitled'],
    ['the print', async () => (await ask('GET', `/n/${made.slug}/print`)).body],
    ['the owner’s print', async () => (await ask('GET', `/e/${made.editToken}/print`)).body],
    [
      'the book',
      async () => {
        const book = readBook((await ask('GET', `/n/${made.slug}.epub`)).rawPayload);
        return [...book.values()].join(' ');
      },
    ],
    ['the search inside', async () => (await ask('GET', `/n/${made.slug}/find?q=needle`)).body],
    ['the feed', async () => (await ask('GET', `/n/${made.slug}/feed.atom`)).body],
    ['the text for programs', async () => (await ask('GET', '/llms-full.txt')).body],
  ];

  it.each(doors)(
    'is of one moment in %s, between whichever questions to the database it is changed',
    async (_, door, untitled) => {
      let answers = 0;
      // The first questions are each their own; of those for each page some are enough.
      for (let question = 1; ; question += Math.max(1, question >> 1)) {
        const before = changes;
        let started: Promise<unknown> | undefined;
        between.questions = question;
        between.happens = () => {
          started = change();
          return started;
        };
        const seen = seenIn(await door());
        between.happens = undefined;
        await started;
        if (!started) break;
        const moments = momentsOf(before, changes);
        if (untitled) expect(moments.map(withoutTitle), `question ${question}`).toContain(withoutTitle(seen));
        else expect(moments, `question ${question}`).toContain(seen);
        answers += 1;
      }
      expect(answers).toBeGreaterThan(5);
    },
  );

  it('is of one moment for a reader who is so slow that it is changed after the first bytes', async () => {
    const long = (page: number, change: number) => `page-${page}-${change} ${'long text '.repeat(90_000)}`;
    const { slug, pages, editToken } = await app.create({
      pages: Array.from({ length: 8 }, (_, page) => ({ markdown: long(page, 0) })),
    });
    const changeTo = async (change: number) => {
      for (const page of [0, 7]) {
        const url = `/api/notebooks/${slug}/pages/${pages[page]!.id}`;
        await ask('PATCH', url, { 'x-edit-token': editToken }, { markdown: long(page, change) });
      }
    };
    for (const [at, path] of [`/api/notebooks/${slug}`, `/n/${slug}.md`].entries()) {
      await changeTo(at * 2);
      const reader = (await fetch(origin + path)).body!.getReader();
      const parts = [(await reader.read()).value!];
      await changeTo(at * 2 + 1);
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        parts.push(value);
      }
      const text = Buffer.concat(parts).toString('utf8');
      expect([...text.matchAll(/page-\d-(\d)/g)].map(([, change]) => change)).toEqual(
        [at * 2, 0, 0, 0, 0, 0, 0, at * 2].map(String),
      );
    }
  });
});
