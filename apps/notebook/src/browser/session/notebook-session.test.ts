import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stubLocalStorage } from '../../../test/support/local-storage.ts';
import { ignoreMissing } from '../api/ignore-missing.ts';
import { NotebookApi } from '../api/notebook-api.ts';
import { listInKeys } from './draft-keys.ts';
import { NotebookSession } from './notebook-session.ts';
import { LinkReplacement } from './replace-link.ts';

const page = { id: 'p', title: 'Page', markdown: 'first', revision: 1, updatedAt: '' };
const desk = { title: 'Desk', readOnly: false, openEditing: true, pages: [page], expiresAt: null };
const refused = (code: string) => () => Response.json({ code, title: 'No.' }, { status: 401 });

/** Another one for each test: a session that an earlier test left is another tab of the same notebook, and would save too. */
let slug: string;
let notebook: typeof desk & { slug: string };
let answer: (path: string, init: RequestInit) => Response;
let asked: string[];
beforeEach(() => {
  // They go on by themselves, and end with the test: what an open session keeps later would not find this file's `localStorage`.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  slug = `desk-${crypto.randomUUID()}`;
  notebook = { ...desk, slug };
  stubLocalStorage();
  vi.stubGlobal('addEventListener', () => {});
  asked = [];
  answer = () => Response.json(notebook);
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    asked.push(`${init.method} ${path}`);
    return answer(path, init);
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const draftIsKept = (markdown: string) => expect.poll(() => listInKeys(slug).map(draft => draft.markdown)).toEqual([markdown]);

it.each(['password_required', 'taken_down'])(
  'a notebook that answered %s is saved again by the same window once it answers',
  async code => {
    const session = await NotebookSession.openAsVisitor(slug);
    answer = refused(code);
    session.pages.changeText('p', 'first, typed while it was shut');
    await session.refresh('now');
    expect(session.lost).toBe(true);
    expect(session.goneCode).toBe(code);
    answer = (_path, { method }) => Response.json(method === 'PATCH' ? { ...page, revision: 2 } : notebook);
    await session.refresh('if old');
    expect(session.lost).toBe(false);
    await session.current.saver.finish();
    expect(session.current.saver.state.kind).toBe('saved');
    expect(asked.at(-1)).toMatch(/^PATCH /);
    session.pages.current.saver.stop();
  },
);

it.each([
  ['read-only', 'read_only'],
  ['not open to visitors', 'edit_token_missing'],
])('a text is saved that was refused while the notebook was %s for too short a time to be seen', async (_what, code) => {
  const session = await NotebookSession.openAsVisitor(slug);
  const markdown = 'first, typed meanwhile';
  let saves = 0;
  answer = (_path, { method }) => {
    // The refusal makes the window read the notebook, which is as it was before.
    if (method !== 'PATCH') return Response.json(notebook);
    saves += 1;
    return saves === 1
      ? Response.json({ code, title: 'No.' }, { status: 409 })
      : Response.json({ ...page, markdown, revision: 2 });
  };
  session.pages.changeText('p', markdown);
  await session.current.saver.flush();
  await expect.poll(() => session.current.saver.state.kind).toBe('saved');
  expect(saves).toBe(2);
  session.pages.current.saver.stop();
});

it('a text that the server refuses for itself is not sent again by a look at the notebook', async () => {
  const session = await NotebookSession.openAsVisitor(slug);
  answer = (_path, { method }) =>
    method === 'PATCH' ? Response.json({ code: 'too_large', title: 'No.' }, { status: 413 }) : Response.json(notebook);
  session.pages.changeText('p', 'first, too long');
  await session.current.saver.flush();
  await session.refresh('now');
  expect(session.current.saver.state.kind).toBe('refused');
  session.pages.current.saver.stop();
});

describe('a notebook that reads as writable and refuses every text', () => {
  const readOnly = () => Response.json({ code: 'read_only', title: 'It is read-only.' }, { status: 409 });
  let session: NotebookSession;
  let saves: () => number;
  beforeEach(async () => {
    vi.useFakeTimers();
    session = await NotebookSession.openAsVisitor(slug);
    saves = () => asked.filter(request => request.startsWith('PATCH')).length;
    answer = (_path, { method }) => (method === 'PATCH' ? readOnly() : Response.json(notebook));
    session.pages.changeText('p', 'first, typed');
  });
  afterEach(() => session.current.saver.stop());
  const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1_000);

  it('is asked after 2, 4, 8 … at most 60 seconds, and says so', async () => {
    await seconds(2);
    const counts: number[] = [];
    for (const pause of [2, 4, 8, 16, 32, 60, 60]) {
      await seconds(pause - 1);
      counts.push(saves());
      expect(session.current.saver.state).toEqual({
        kind: 'refused',
        reason: 'It is read-only.',
        waitsForRight: true,
        triesAgain: true,
      });
      await seconds(1);
    }
    expect(counts).toEqual([1, 2, 3, 4, 5, 6, 7]);
    await draftIsKept('first, typed');
  });

  it('is not asked more often because its changes are looked for', async () => {
    await seconds(62);
    for (let look = 0; look < 20; look += 1) await session.refresh('now');
    expect(saves()).toBe(5);
    await seconds(3);
    expect(saves()).toBe(6);
  });

  it('is asked at once when the person saves', async () => {
    await seconds(70);
    const before = saves();
    session.saveAll({ explicit: true });
    await seconds(0);
    expect(saves()).toBe(before + 1);
  });

  it('is asked as late as it wants', async () => {
    const later = () => Response.json({ code: 'read_only', title: 'No.' }, { status: 409, headers: { 'retry-after': '30' } });
    answer = (_path, { method }) => (method === 'PATCH' ? later() : Response.json(notebook));
    await seconds(31);
    expect(saves()).toBe(1);
    await seconds(2);
    expect(saves()).toBe(2);
  });

  it('is asked after two seconds again once it read as shut in between', async () => {
    await seconds(70);
    answer = (_path, { method }) => (method === 'PATCH' ? readOnly() : Response.json({ ...notebook, readOnly: true }));
    await session.refresh('now');
    await seconds(120);
    const before = saves();
    answer = (_path, { method }) =>
      method === 'PATCH' ? Response.json({ ...page, markdown: 'first, typed', revision: 2 }) : Response.json(notebook);
    await session.refresh('now');
    await seconds(2);
    expect([saves(), session.current.saver.state.kind]).toEqual([before + 1, 'saved']);
  });
});

it('a title waits as long as a server wants that cannot save it now, but not when the person saves', async () => {
  vi.useFakeTimers();
  const session = await NotebookSession.openAsVisitor(slug);
  const busy = () => Response.json({ code: 'unavailable', title: 'No.' }, { status: 503, headers: { 'retry-after': '30' } });
  answer = (_path, { method }) => (method === 'PATCH' ? busy() : Response.json(page));
  await session.pages.rename('p', 'Renamed');
  const saves = () => asked.filter(request => request.startsWith('PATCH')).length;
  const counts: number[] = [];
  for (const seconds of [29, 2, 28, 2]) {
    await vi.advanceTimersByTimeAsync(seconds * 1_000);
    counts.push(saves());
  }
  expect([counts, session.current.title]).toEqual([[1, 2, 2, 3], 'Renamed']);
  session.saveAll({ explicit: true });
  await vi.advanceTimersByTimeAsync(0);
  expect(saves()).toBe(4);
  session.pages.endChanges();
});

it('changes from elsewhere are looked for also when the clock was set back', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000_000 });
  const session = await NotebookSession.openAsVisitor(slug);
  await session.refresh('if old');
  const before = asked.length;
  vi.setSystemTime(900_000_000);
  await session.refresh('if old');
  expect(asked.length).toBe(before + 1);
});

it.each([
  ['by its first line', 'Bring bread', 'Bring bread'],
  ['untitled', '', 'Untitled page'],
])(
  'the note of a page without a title that was deleted elsewhere calls it what the list calls it: %s',
  async (_how, markdown, name) => {
    const untitled = { ...page, id: 'u', title: 'Page 2', markdown };
    answer = () => Response.json({ ...notebook, pages: [page, untitled] });
    const session = await NotebookSession.openAsVisitor(slug);
    session.pages.select('u');
    answer = () => Response.json(notebook);
    await session.refresh('now');
    expect(session.notes.list.map(({ text }) => text)).toEqual([`“${name}” was deleted elsewhere.`]);
  },
);

describe('an older text than this window has', () => {
  const newer = { ...page, markdown: 'second', revision: 2 };
  const openNewer = async () => {
    answer = () => Response.json({ ...notebook, pages: [newer] });
    return NotebookSession.openAsVisitor(slug);
  };

  it('is what a server has that was restored from a backup: the writer chooses', async () => {
    const session = await openNewer();
    answer = () => Response.json(notebook);
    await session.refresh('now');
    await expect.poll(() => session.current.saver.state.kind).toBe('conflict');
    expect(session.current.saver.text).toBe('second');
  });

  it('is only late when another tab saved after it was asked for', async () => {
    const session = await NotebookSession.openAsVisitor(slug);
    const other = new BroadcastChannel(`octavo.tabs.${slug}`);
    let reads = 0;
    vi.stubGlobal('fetch', async () => {
      reads += 1;
      if (reads > 1) return Response.json({ ...notebook, pages: [newer] });
      other.postMessage({ from: 'another tab', kind: 'saved', page: newer });
      await expect.poll(() => session.current.saver.text).toBe('second');
      return Response.json(notebook);
    });
    await session.refresh('now');
    expect([session.current.saver.state.kind, session.current.saver.text, reads]).toEqual(['saved', 'second', 2]);
    other.close();
  });
});

it('a page whose answer was lost is listed once, also when others’ changes are looked for before it is sent again', async () => {
  const own = {
    ...notebook,
    openEditing: false,
    visibility: 'unlisted',
    hasPassword: false,
    burnAfterRead: false,
    lifecycle: 'active',
  };
  const added = { id: 'n', title: 'New page', markdown: '', revision: 1, updatedAt: '' };
  const keys: string[] = [];
  const listed: string[][] = [];
  answer = (_path, { method, headers }) => {
    if (method === 'GET') return Response.json({ ...own, pages: keys.length > 0 ? [page, added] : [page] });
    if (method !== 'POST') return Response.json(own);
    keys.push((headers as Record<string, string>)['Idempotency-Key']!);
    if (keys.length === 1) throw new TypeError('The answer was lost.');
    return Response.json(added, { status: 200 });
  };
  const session = await NotebookSession.open('t'.repeat(43));
  session.keepForOffline();
  session.listen(() => listed.push(session.pages.all.map(({ title }) => title)));
  await session.pages.add({ markdown: '' });
  await session.refresh('now');
  await expect.poll(() => session.pages.all.map(({ id }) => id)).toEqual(['p', 'n']);
  expect(listed.filter(({ length }) => length > 2)).toEqual([]);
  expect(new Set(keys).size).toBe(1);
  for (const { saver } of session.pages.all) saver.stop();
  session.pages.endChanges();
});

describe('JSON that is not of our server', () => {
  const api = new NotebookApi('desk', 'token');
  beforeEach(() => {
    answer = () => Response.json({});
  });

  it.each([
    ['a page that was added', () => api.addPage({ markdown: 'new' }, 'key')],
    ['a version that was restored', () => api.restoreSnapshot('version')],
    ['a setting that was saved', () => api.changeNotebook({ readOnly: true })],
    ['a new edit link', () => api.rotateToken('key')],
    ['a notebook', () => NotebookSession.openAsVisitor(slug)],
  ])('is not taken for %s', (_what, send) => expect(send()).rejects.toThrow('The server cannot be reached.'));

  it('changes nothing in an open notebook', async () => {
    answer = () => Response.json(notebook);
    const session = await NotebookSession.openAsVisitor(slug);
    answer = () => Response.json({});
    await session.refresh('now');
    expect(session.notebook).toEqual(notebook);
  });
});

describe('a 404 that is not of our server', () => {
  const api = new NotebookApi('desk', 'token');
  beforeEach(() => {
    answer = () => new Response('<h1>Not Found', { status: 404 });
  });

  it('does not make us forget that the edit link may have been replaced', async () => {
    const replacement = new LinkReplacement('desk');
    await expect(replacement.replace(api)).rejects.toThrow('The server answered 404.');
    expect(replacement.isAwaited).toBe(true);
  });

  it('does not pass for a deletion', async () => {
    await expect(api.deletePage('p').catch(ignoreMissing)).rejects.toThrow('The server answered 404.');
  });
});
