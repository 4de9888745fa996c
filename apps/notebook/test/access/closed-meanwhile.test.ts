import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readBook } from '../book/epub-file.ts';
import { BetweenQuestions } from '../support/between-questions.ts';
import { engines } from '../support/engines.ts';
import type { AskOptions, NotebookApp } from '../support/notebook-app.ts';

// The owner closes a notebook and, once that was answered, writes what only she is to read. A reader who was let in before must not be
// sent it, whichever way the text goes, and between whichever two questions to the database the owner was faster.

/** Its print is sent page by page. */
const long = 'word '.repeat(14_000);

interface Door {
  readonly url: string;
  readonly options?: AskOptions;
  readonly text?: string;
  /** No rendering is kept, so that the text is read whenever it is sent. */
  readonly plain?: boolean;
  /** The answer is of a single question; the indexer, which a search waits for, may ask more. */
  readonly asksOnce?: boolean;
}

const doors: Readonly<Record<string, (slug: string, pageId: string) => Door>> = {
  'the API': slug => ({ url: `/api/notebooks/${slug}` }),
  'the API as Markdown': slug => ({ url: `/api/notebooks/${slug}`, options: { headers: { accept: 'text/markdown' } } }),
  'the API, a page': (slug, pageId) => ({ url: `/api/notebooks/${slug}/pages/${pageId}` }),
  'the comments': slug => ({ url: `/api/notebooks/${slug}/comments` }),
  'the view': slug => ({ url: `/n/${slug}` }),
  'the view of a page': (slug, pageId) => ({ url: `/n/${slug}/p/${pageId}` }),
  'the slides': slug => ({ url: `/n/${slug}?slides` }),
  'the print': slug => ({ url: `/n/${slug}/print` }),
  'the print of a page': (slug, pageId) => ({ url: `/n/${slug}/print?page=${pageId}` }),
  'a long print': slug => ({ url: `/n/${slug}/print`, text: long }),
  'a long print, shown plain': slug => ({ url: `/n/${slug}/print`, text: long, plain: true }),
  'the Markdown': slug => ({ url: `/n/${slug}.md` }),
  'the book': slug => ({ url: `/n/${slug}.epub` }),
  'the frame': slug => ({ url: `/n/${slug}/embed` }),
  'the feed': slug => ({ url: `/n/${slug}/feed.atom` }),
  'the search inside': slug => ({ url: `/n/${slug}/find?q=word` }),
  'the text for programs': () => ({ url: '/llms-full.txt' }),
  'the texts for programs, listed': () => ({ url: '/llms.txt', asksOnce: true }),
  'the public search': () => ({ url: '/search?q=word', asksOnce: true }),
  'the public search of the API': () => ({ url: '/api/search?q=word', asksOnce: true }),
  'the public feed': () => ({ url: '/feed.atom' }),
  'the sitemap': () => ({ url: '/sitemap.xml', asksOnce: true }),
  'the code for other sites': slug => ({
    url: `/oembed?url=${encodeURIComponent(`http://localhost/n/${slug}`)}`,
    asksOnce: true,
  }),
  'the picture': slug => ({ url: `/n/${slug}/card.png` }),
};

const waysToClose = [{ visibility: 'private' }, { password: 'a password' }, { burnAfterRead: true }];

describe.each(engines)('a notebook that is closed while it is read, on $name', engine => {
  let app: NotebookApp;
  const between = new BetweenQuestions();
  beforeAll(async () => {
    app = await between.start(engine, {
      // Its picture is what it was asked to write on it.
      cardPainter: { draw: async content => Buffer.from(JSON.stringify(content)), close: async () => {} },
    });
  });
  afterAll(() => app.close());

  /** What a reader is sent of a notebook that is closed before some question of the reader's; undefined when there are fewer questions. */
  async function readWhileClosing(door: (typeof doors)[string], question: number, closes: object): Promise<string | undefined> {
    const pages = [{ markdown: 'a word for everybody' }];
    const made = await app.create({ visibility: 'public', embedding: true, pages });
    const { slug, editToken: token } = made;
    const { id } = made.pages[0]!;
    const { url, options, text = '', plain = false } = door(slug, id);
    const ask = async (method: 'PATCH' | 'POST' | 'DELETE', at: string, body?: object) => {
      const answer = await app.ask(method, at, { body, token });
      if (answer.statusCode >= 300) throw new Error(`${method} ${at} answered ${answer.statusCode}`);
    };
    if (text) await ask('PATCH', `/api/notebooks/${slug}/pages/${id}`, { markdown: text });
    // Its page is drawn in the background, too: once it is shown, nothing more reads. With other paper it is drawn again.
    await app.ask('GET', `/n/${slug}`);
    await ask('PATCH', `/api/notebooks/${slug}`, { paper: 'kraft' });
    let closing: Promise<void> | undefined;
    const close = async () => {
      await ask('PATCH', `/api/notebooks/${slug}`, closes);
      await ask('PATCH', `/api/notebooks/${slug}`, { title: 'a secret title' });
      await ask('POST', `/api/notebooks/${slug}/pages`, { markdown: '# a secret page word' });
      await ask('PATCH', `/api/notebooks/${slug}/pages/${id}`, { markdown: `a secret word ${text}` });
      await ask('POST', `/api/notebooks/${slug}/comments`, { body: 'a secret remark' });
    };
    between.questions = question;
    between.happens = () => {
      closing = close();
      return closing;
    };
    const unsafe = vi.spyOn(app.parts.texts, 'isUnsafe').mockReturnValue(plain);
    // An answer may be cut off.
    const answer = await app.ask('GET', url, options).catch(() => undefined);
    between.happens = undefined;
    unsafe.mockRestore();
    // What draws in the background may have asked that question.
    await closing;
    await ask('DELETE', `/api/notebooks/${slug}`);
    if (!closing) return undefined;
    const isBook = answer?.statusCode === 200 && url.endsWith('.epub');
    return isBook ? [...readBook(answer.rawPayload).values()].join() : (answer?.body ?? '');
  }

  it.each(Object.entries(doors))('shows nothing that was written since: %s', async (_, door) => {
    let question = 1;
    for (; ; question++) {
      const sent = await readWhileClosing(door, question, waysToClose[question % waysToClose.length]!);
      if (sent === undefined) break;
      expect([question, sent.replaceAll(/<\/?mark>/g, '').match(/secret \w+/)?.[0]]).toEqual([question, undefined]);
    }
    expect(question).toBeGreaterThan(door('', '').asksOnce ? 1 : 2);
  });
});
