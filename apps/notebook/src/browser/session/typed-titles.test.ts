import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stubLocalStorage } from '../../../test/support/local-storage.ts';
import { keepTitle, listTitles } from './draft-keys.ts';
import type { NotebookSession } from './notebook-session.ts';
import { TypedTitles } from './typed-titles.ts';

beforeEach(stubLocalStorage);
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** A window on a notebook with the pages `p1` (One) and `p2` (Two). `close` closes another window. */
function createWindow({ isVisitor = false, openTabs = [] as string[] } = {}) {
  const saved: string[] = [];
  const notes: string[] = [];
  const closed = new Map<string, () => void>();
  const pages = new Map(Object.entries({ p1: 'One', p2: 'Two' }).map(([id, title]) => [id, { id, title }]));
  const session = {
    slug: 'desk',
    isVisitor,
    notebook: { title: 'Desk' },
    pages: { changes: {} as { title?: string }, find: (id: string) => pages.get(id) },
    tabs: {
      tab: 'here',
      findOpenTabs: async (tabs: ReadonlySet<string>) => new Set(openTabs.filter(tab => tabs.has(tab))),
      whenClosed: (tab: string) => new Promise<void>(resolve => closed.set(tab, resolve)),
    },
    notes: { show: ({ text }: { text: string }) => notes.push(text) },
    changeNotebook: async ({ title }: { title: string }) => {
      if (title === 'Refused') throw new Error('no');
      saved.push(title);
      session.notebook.title = title;
    },
  };
  const typed = TypedTitles.of(session as unknown as NotebookSession);
  const close = (tab: string) => {
    openTabs.splice(openTabs.indexOf(tab), 1);
    closed.get(tab)!();
  };
  return { session, typed, saved, notes, close };
}

const keepElsewhere = (tab: string, pageId: string, title: string, { at = 1, before = 'Desk' } = {}) =>
  keepTitle('desk', tab, { pageId, title, before, at });
/** What is on this device, as `tab page title`. */
const kept = () =>
  listTitles('desk')
    .map(({ tab, pageId, title }) => `${tab} ${pageId || '-'} ${title}`)
    .sort();

describe('what is typed in this window', () => {
  it('is kept with what it replaces, by page and for the notebook, until it is dropped', () => {
    vi.spyOn(Date, 'now').mockReturnValue(7);
    const { session, typed } = createWindow();
    expect(TypedTitles.of(session as unknown as NotebookSession)).toBe(typed);
    typed.keep({ id: 'p1', title: 'One' }, 'Uno');
    typed.keepNotebookTitle('Table');
    expect(listTitles('desk')).toEqual([
      { tab: 'here', pageId: 'p1', title: 'Uno', before: 'One', at: 7 },
      { tab: 'here', pageId: '', title: 'Table', before: 'Desk', at: 7 },
    ]);
    expect(typed.all).toEqual([{ pageId: 'p1', title: 'Uno', before: 'One', at: 7 }]);
    expect([typed.find('p1'), typed.find('p2')]).toEqual(['Uno', undefined]);
    typed.drop('p1');
    expect([typed.find('p1'), kept()]).toEqual([undefined, ['here - Table']]);
  });

  it('goes with its page to a new id', () => {
    const { typed } = createWindow();
    typed.keep({ id: 'new', title: 'One' }, 'Uno');
    typed.move('new', 'p1');
    typed.move('other', 'p2');
    expect([typed.find('new'), typed.find('p1'), typed.find('p2')]).toEqual([undefined, 'Uno', undefined]);
    expect([kept(), typed.all.length]).toEqual([['here p1 Uno'], 1]);
  });

  it.each(['', 'Desk'])('is no title of the notebook when the field holds %j', words => {
    const { typed } = createWindow();
    typed.keepNotebookTitle('Table');
    typed.keepNotebookTitle(words);
    expect(kept()).toEqual([]);
  });

  it('is kept while another title waits for the server, which the notebook is shown with', () => {
    const { session, typed } = createWindow();
    session.pages.changes.title = 'Waiting';
    typed.keepNotebookTitle('Desk');
    expect(kept()).toEqual(['here - Desk']);
    typed.keepNotebookTitle('Waiting');
    expect(kept()).toEqual([]);
  });

  it('is forgotten when the notebook has it, not when it has an earlier one', () => {
    const { typed } = createWindow();
    typed.keepNotebookTitle('Table and chair');
    typed.forgetNotebookTitle('Table');
    expect(kept()).toEqual(['here - Table and chair']);
    typed.forgetNotebookTitle('Table and chair');
    expect(kept()).toEqual([]);
  });
});

describe('what closed windows left', () => {
  it('is taken up, the newest first, and the newest form is open again', async () => {
    keepElsewhere('gone', 'p2', 'Zwei', { at: 1 });
    keepElsewhere('lost', 'p1', 'Older', { at: 2 });
    keepElsewhere('gone', 'p1', 'Newer', { at: 3 });
    const { typed } = createWindow();
    await typed.adopt();
    expect([typed.find('p1'), typed.find('p2'), typed.reopen]).toEqual(['Newer', 'Zwei', 'p1']);
    // The older one is offered when the notebook is opened again.
    expect(kept()).toEqual(['here p1 Newer', 'here p2 Zwei', 'lost p1 Older']);
  });

  it('does not replace what was typed here since', async () => {
    keepElsewhere('gone', 'p1', 'Theirs');
    const { typed } = createWindow();
    typed.keep({ id: 'p1', title: 'One' }, 'Mine');
    await typed.adopt();
    expect([typed.find('p1'), typed.reopen]).toEqual(['Mine', undefined]);
    expect(kept()).toEqual(['gone p1 Theirs', 'here p1 Mine']);
  });

  it('is nothing when the page has the title', async () => {
    keepElsewhere('gone', 'p1', 'One');
    const { typed } = createWindow();
    await typed.adopt();
    expect([typed.find('p1'), typed.reopen, kept()]).toEqual([undefined, undefined, []]);
  });

  it('is taken up for a page that is gone, so that its words can be told', async () => {
    keepElsewhere('gone', 'p9', 'Neuf');
    const { typed } = createWindow();
    await typed.adopt();
    expect([typed.all.map(({ title }) => title), kept()]).toEqual([['Neuf'], ['here p9 Neuf']]);
  });

  it('is never what this window keeps', async () => {
    keepElsewhere('here', 'p1', 'Uno');
    const { typed } = createWindow();
    await typed.adopt();
    expect([typed.reopen, kept()]).toEqual([undefined, ['here p1 Uno']]);
  });

  it('stays with an open window until that one is closed, and opens no form then', async () => {
    keepElsewhere('open', 'p1', 'Uno');
    keepElsewhere('gone', 'p2', 'Zwei');
    const { typed, close } = createWindow({ openTabs: ['open', 'unrelated'] });
    await typed.adopt();
    expect([typed.find('p1'), typed.find('p2'), typed.reopen]).toEqual([undefined, 'Zwei', 'p2']);
    expect(kept()).toEqual(['here p2 Zwei', 'open p1 Uno']);
    typed.reopen = undefined;
    close('open');
    await expect.poll(() => typed.find('p1')).toBe('Uno');
    expect([kept(), typed.reopen]).toEqual([['here p1 Uno', 'here p2 Zwei'], undefined]);
  });
});

describe('the title of the notebook that a closed window left', () => {
  it('is saved', async () => {
    keepElsewhere('gone', '', 'Table');
    const { typed, saved, notes } = createWindow();
    await typed.adopt();
    await expect.poll(kept).toEqual([]);
    expect([saved, notes, typed.reopen]).toEqual([['Table'], [], undefined]);
  });

  it('is told when it is refused, and when the notebook got another one meanwhile', async () => {
    keepElsewhere('gone', '', 'Refused');
    const refused = createWindow();
    await refused.typed.adopt();
    await expect.poll(() => refused.notes).toEqual(['The title was not saved. The title you wrote was “Refused”.']);
    expect(kept()).toEqual([]);
    keepElsewhere('gone', '', 'Mine', { before: 'Earlier' });
    const changed = createWindow();
    await changed.typed.adopt();
    await expect
      .poll(() => changed.notes)
      .toEqual(['The title was changed elsewhere meanwhile. The title you wrote was “Mine”.']);
    expect([changed.saved, kept()]).toEqual([[], []]);
  });

  it('is not sent when the notebook has it', async () => {
    keepElsewhere('gone', '', 'Desk', { before: 'Earlier' });
    const { typed, saved, notes } = createWindow();
    await typed.adopt();
    await expect.poll(kept).toEqual([]);
    expect([saved, notes]).toEqual([[], []]);
  });

  it('is left to its owner by a visitor, who keeps titles of pages', async () => {
    keepElsewhere('gone', '', 'Table');
    keepElsewhere('gone', 'p1', 'Uno');
    const { typed, saved } = createWindow({ isVisitor: true });
    await typed.adopt();
    expect([typed.find('p1'), typed.find(''), saved]).toEqual(['Uno', undefined, []]);
    expect(kept()).toEqual(['gone - Table', 'here p1 Uno']);
  });
});
