import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiProblem, NoConnection } from '../api-client.ts';
import type { ApiPage } from '../api-types.ts';
import { Autosave } from './autosave.ts';
import * as merging from './merging.ts';
import type { AutosaveParts, SaveRequest, UnsavedText } from './save-state.ts';

/** A page on a server: keeps what it is sent, refuses what is stale, and can be told to fail. */
class Server {
  page: ApiPage = { id: 'p', title: 'Page', markdown: 'first', revision: 1, updatedAt: '' };
  readonly requests: SaveRequest[] = [];
  fault: ((request: SaveRequest) => void) | undefined;
  /** Keeps the text and loses the answer. */
  losesAnswers = false;
  delay = 0;

  readonly send = async (request: SaveRequest): Promise<ApiPage> => {
    this.requests.push(request);
    if (this.delay > 0) await new Promise(resolve => setTimeout(resolve, this.delay));
    this.fault?.(request);
    if (request.baseRevision !== this.page.revision) throw refusal(412, { page: this.page });
    this.page = { ...this.page, markdown: request.markdown, revision: this.page.revision + 1 };
    if (this.losesAnswers) throw new NoConnection('lost');
    return this.page;
  };
}

const refusal = (status: number, body: object = {}, headers: Record<string, string> = {}) =>
  new ApiProblem(new Response('', { status, headers }), body as Record<string, unknown>);

let server: Server;
let draft: UnsavedText | undefined;
let merges: number;
let refusals: unknown[];
let states: string[];
let saver: Autosave;

beforeEach(() => {
  vi.useFakeTimers();
  server = new Server();
  draft = undefined;
  states = [];
  merges = 0;
  refusals = [];
  saver = new Autosave(server.page, parts());
});
afterEach(() => {
  saver.stop();
  vi.useRealTimers();
});

const parts = (): AutosaveParts => ({
  send: server.send,
  keepDraft: kept => {
    draft = kept;
  },
  onState: state => states.push(state.kind),
  onMerged: () => {
    merges += 1;
  },
  onRefused: problem => refusals.push(problem),
  loadMerging: async () => merging,
  now: Date.now,
});

const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000);

describe('when it saves', () => {
  it('two seconds after the last key, as an automatic save against the revision it was made from', async () => {
    saver.change('a');
    await seconds(1.9);
    saver.change('ab');
    await seconds(1.9);
    expect(server.requests).toEqual([]);
    await seconds(0.2);
    expect(server.requests).toEqual([{ markdown: 'ab', baseRevision: 1, autosave: true, keepalive: false }]);
    expect(states).toEqual(['unsaved', 'saving', 'saved']);
  });

  it('ten seconds after the first unsaved key, however long one types', async () => {
    for (let second = 0; second < 11; second += 1) {
      saver.change(`text ${second}`);
      await seconds(1);
    }
    expect(server.requests.map(request => request.markdown)).toEqual(['text 9']);
  });

  it('counts the ten seconds anew after a save', async () => {
    for (let second = 0; second < 31; second += 1) {
      saver.change(`text ${second}`);
      await seconds(1);
    }
    expect(server.requests.map(request => request.markdown)).toEqual(['text 9', 'text 19', 'text 29']);
  });

  it('once at a time: what is typed meanwhile follows with the new revision', async () => {
    server.delay = 5_000;
    saver.change('one');
    await seconds(2);
    saver.change('two');
    await seconds(4);
    expect(server.requests).toHaveLength(1);
    await seconds(10);
    expect(server.requests.map(({ markdown, baseRevision }) => [markdown, baseRevision])).toEqual([
      ['one', 1],
      ['two', 2],
    ]);
    expect(saver.state.kind).toBe('saved');
  });

  it('at once when asked, and then not as an automatic one', async () => {
    saver.change('asked');
    await saver.flush({ explicit: true });
    expect(server.requests).toMatchObject([{ markdown: 'asked', autosave: false }]);
    await seconds(20);
    expect(server.requests).toHaveLength(1);
  });

  it('not at all when the text is what it was', async () => {
    saver.change('x');
    saver.change('first');
    await seconds(20);
    expect(server.requests).toEqual([]);
    expect(saver.state.kind).toBe('saved');
  });
});

describe('the draft', () => {
  it('is kept before the server is asked, and until the server has acknowledged all of it', async () => {
    server.delay = 1_000;
    saver.change('one');
    expect(draft).toEqual({ markdown: 'one', baseRevision: 1, baseMarkdown: 'first' });
    await seconds(2.5);
    saver.change('two');
    await seconds(1);
    expect(server.page.markdown).toBe('one');
    expect(draft).toEqual({ markdown: 'two', baseRevision: 2, baseMarkdown: 'one' });
    await seconds(10);
    expect(draft).toBeUndefined();
  });

  it('of a closed tab is saved when nobody changed the page since', async () => {
    expect(await saver.adopt({ markdown: 'left behind', baseRevision: 1 }, server.page)).toBe('restored');
    await seconds(2);
    expect(server.page.markdown).toBe('left behind');
  });

  it('of a closed tab is a conflict when somebody did', async () => {
    server.page = { ...server.page, revision: 5, markdown: 'theirs' };
    saver = new Autosave(server.page, parts());
    expect(await saver.adopt({ markdown: 'left behind', baseRevision: 1 }, server.page)).toBe('conflict');
    expect(saver.state).toEqual({ kind: 'conflict', theirs: server.page });
    await seconds(60);
    expect(server.page.markdown).toBe('theirs');
  });
});

describe('no connection', () => {
  it('is tried again after 2, 4, 8 … at most 60 seconds, and the text arrives in the end', async () => {
    server.fault = () => {
      throw new NoConnection('down');
    };
    saver.change('patient');
    await seconds(2);
    expect(saver.state).toEqual({ kind: 'waiting', offline: true, reason: 'The server cannot be reached.' });
    const counts: number[] = [];
    for (const wait of [2, 4, 8, 16, 32, 60, 60]) {
      await seconds(wait);
      counts.push(server.requests.length);
    }
    expect(counts).toEqual([2, 3, 4, 5, 6, 7, 8]);
    server.fault = undefined;
    await seconds(60);
    expect(server.page.markdown).toBe('patient');
    expect(saver.state.kind).toBe('saved');
  });

  it('waits as long as the server asks', async () => {
    server.fault = () => {
      throw refusal(429, {}, { 'retry-after': '30' });
    };
    saver.change('slow');
    await seconds(2);
    await seconds(29);
    expect(server.requests).toHaveLength(1);
    await seconds(2);
    expect(server.requests).toHaveLength(2);
  });

  it('that lost only the answer makes no conflict with oneself', async () => {
    server.losesAnswers = true;
    saver.change('arrived');
    await seconds(2);
    server.losesAnswers = false;
    saver.change('arrived, and more');
    await seconds(30);
    expect(states).not.toContain('conflict');
    expect(server.page.markdown).toBe('arrived, and more');
  });
});

describe('a stale save', () => {
  beforeEach(async () => {
    server.page = { ...server.page, revision: 2, markdown: 'theirs' };
    saver.change('mine');
    await seconds(2);
  });

  it('overwrites nothing and shows theirs, whatever is typed after', async () => {
    expect(saver.state).toMatchObject({ kind: 'conflict', theirs: { markdown: 'theirs' } });
    saver.change('mine, still writing');
    await seconds(60);
    await saver.flush({ explicit: true });
    expect(server.page.markdown).toBe('theirs');
    expect(server.requests).toHaveLength(1);
    expect(draft?.markdown).toBe('mine, still writing');
    expect(saver.isUnsaved).toBe(true);
  });

  it('keep mine: saves over theirs, not as an automatic save, so that theirs becomes a snapshot', async () => {
    await saver.keepMine();
    expect(server.requests.at(-1)).toMatchObject({ markdown: 'mine', baseRevision: 2, autosave: false });
    expect(server.page.markdown).toBe('mine');
    expect(saver.state.kind).toBe('saved');
  });

  it('keep theirs: takes their text and sends nothing', async () => {
    const sent = server.requests.length;
    saver.take(server.page);
    await seconds(60);
    expect(saver.text).toBe('theirs');
    expect(draft).toBeUndefined();
    expect(server.requests).toHaveLength(sent);
  });

  it('keep mine, and somebody saved again meanwhile: asks again', async () => {
    server.page = { ...server.page, revision: 9, markdown: 'theirs again' };
    await saver.keepMine();
    expect(saver.state).toMatchObject({ kind: 'conflict', theirs: { markdown: 'theirs again' } });
    expect(server.page.markdown).toBe('theirs again');
  });
});

describe('a stale save whose changes do not overlap', () => {
  beforeEach(async () => {
    server.page = { ...server.page, markdown: 'top\nmiddle\nend' };
    saver = new Autosave(server.page, parts());
    server.page = { ...server.page, revision: 2, markdown: 'THEIRS\nmiddle\nend' };
  });

  it('is merged, said so, and saved by itself', async () => {
    saver.change('top\nmiddle\nMINE');
    await seconds(5);
    expect(merges).toBe(1);
    expect(saver.text).toBe('THEIRS\nmiddle\nMINE');
    expect(server.page).toMatchObject({ markdown: 'THEIRS\nmiddle\nMINE', revision: 3 });
    expect(saver.state.kind).toBe('saved');
    expect(draft).toBeUndefined();
  });

  it('with what was typed while the code for it was fetched', async () => {
    saver = new Autosave(
      { markdown: 'top\nmiddle\nend', revision: 1 },
      {
        ...parts(),
        loadMerging: async () => {
          saver.change('top\nmiddle\nMINE and more');
          return merging;
        },
      },
    );
    saver.change('top\nmiddle\nMINE');
    await seconds(5);
    expect(server.page.markdown).toBe('THEIRS\nmiddle\nMINE and more');
  });

  it('is the writer’s choice when that code cannot be fetched', async () => {
    saver = new Autosave(
      { markdown: 'top\nmiddle\nend', revision: 1 },
      { ...parts(), loadMerging: () => Promise.reject(new Error('gone')) },
    );
    saver.change('top\nmiddle\nMINE');
    await seconds(5);
    expect(saver.state.kind).toBe('conflict');
    expect(server.page.markdown).toBe('THEIRS\nmiddle\nend');
  });

  it('keeps the draft with the new base until it is saved', async () => {
    saver.change('top\nmiddle\nMINE');
    await seconds(2);
    expect(draft).toMatchObject({ markdown: 'THEIRS\nmiddle\nMINE', baseRevision: 2, baseMarkdown: 'THEIRS\nmiddle\nend' });
  });
});

describe('a save whose answer was lost', () => {
  it('is no conflict even when somebody wrote on top of it', async () => {
    server.page = { ...server.page, markdown: 'top\nmiddle\nend' };
    saver = new Autosave(server.page, parts());
    server.losesAnswers = true;
    saver.change('top\nmiddle\nmine');
    await seconds(2);
    server.losesAnswers = false;
    server.page = { ...server.page, markdown: `THEIRS\n\n${server.page.markdown}`, revision: server.page.revision + 1 };
    saver.change('top\nmiddle\nmine, and on');
    await seconds(30);
    expect(states).not.toContain('conflict');
    expect(server.page.markdown).toBe('THEIRS\n\ntop\nmiddle\nmine, and on');
  });

  it('is known among several that were sent after it and did not arrive', async () => {
    server.losesAnswers = true;
    saver.change('arrived');
    await seconds(2);
    server.losesAnswers = false;
    server.fault = () => {
      throw new NoConnection('down');
    };
    for (const more of ['one', 'two', 'three']) {
      saver.change(`arrived, and ${more}`);
      await seconds(20);
    }
    server.fault = undefined;
    await seconds(60);
    expect(states).not.toContain('conflict');
    expect(server.page.markdown).toBe('arrived, and three');
  });

  it('that never arrived is not taken for the base: nothing of mine goes missing', async () => {
    server.page = { ...server.page, markdown: 'top\nmiddle\nend' };
    saver = new Autosave(server.page, parts());
    server.fault = () => {
      throw new NoConnection('down');
    };
    saver.change('top\nmiddle\nend\nmine');
    await seconds(2);
    server.fault = undefined;
    server.page = { ...server.page, markdown: 'THEIRS\nmiddle\nend', revision: 2 };
    saver.change('top\nmiddle\nend\nmine\nand on');
    await seconds(30);
    expect(server.page.markdown).toBe('THEIRS\nmiddle\nend\nmine\nand on');
  });

  it('is known by the draft after the tab died', async () => {
    server.page = { ...server.page, markdown: 'sent', revision: 2 };
    saver = new Autosave(server.page, parts());
    const left = { markdown: 'sent, and on', baseRevision: 1, baseMarkdown: 'first', sent: ['sent', 'sent, and'] };
    expect(await saver.adopt(left, server.page)).toBe('restored');
    await seconds(3);
    expect(server.page.markdown).toBe('sent, and on');
  });
});

describe('the draft of a closed tab', () => {
  it('is merged with what was saved since', async () => {
    server.page = { ...server.page, markdown: 'THEIRS\nmiddle\nend', revision: 2 };
    saver = new Autosave(server.page, parts());
    const left = { markdown: 'top\nmiddle\nMINE', baseRevision: 1, baseMarkdown: 'top\nmiddle\nend' };
    expect(await saver.adopt(left, server.page)).toBe('merged');
    await seconds(3);
    expect(server.page.markdown).toBe('THEIRS\nmiddle\nMINE');
  });

  it('replaces nothing without a version of it', async () => {
    await saver.adopt({ markdown: 'left behind', baseRevision: 1 }, server.page);
    await seconds(2);
    expect(server.requests).toMatchObject([{ markdown: 'left behind', autosave: false }]);
  });

  it('that changed nothing is forgotten', async () => {
    expect(await saver.adopt({ markdown: 'old', baseRevision: 0, baseMarkdown: 'old' }, server.page)).toBe('nothing');
    expect(saver.text).toBe('first');
    expect(draft).toBeUndefined();
  });
});

describe('what another tab saved', () => {
  const theirs = (markdown: string, revision = 2): ApiPage => {
    server.page = { ...server.page, markdown, revision };
    return server.page;
  };

  it('is shown where nothing is unsaved, and nothing is sent', async () => {
    saver.receive(theirs('newer'));
    expect(saver.text).toBe('newer');
    await seconds(20);
    expect(server.requests).toEqual([]);
    saver.change('newer, and mine');
    await seconds(2);
    expect(server.page.markdown).toBe('newer, and mine');
  });

  it('and is older than what is here is passed over', () => {
    saver.receive(theirs('older', 1));
    expect(saver.text).toBe('first');
  });

  it('waits while an input method composes', async () => {
    saver.hold();
    saver.receive(theirs('newer'));
    expect(saver.text).toBe('first');
    saver.release();
    expect(saver.text).toBe('newer');
  });

  it('while a save of mine is on its way, is merged after it', async () => {
    server.delay = 1_000;
    saver.change('mine\nfirst');
    await seconds(2.5);
    const before = server.page;
    saver.receive({ ...before, markdown: 'first\ntheirs', revision: 3 });
    server.page = { ...before, markdown: 'first\ntheirs', revision: 3 };
    await seconds(10);
    expect(server.page.markdown).toBe('mine\nfirst\ntheirs');
    expect(saver.text).toBe('mine\nfirst\ntheirs');
  });
});

describe('keep both', () => {
  it('saves one text with both versions, as a save that was asked for', async () => {
    server.page = { ...server.page, revision: 2, markdown: 'theirs' };
    saver.change('mine');
    await seconds(2);
    await saver.keepBoth();
    expect(server.page.markdown).toMatch(/mine[\s\S]*theirs/);
    expect(server.requests.at(-1)).toMatchObject({ baseRevision: 2, autosave: false });
    expect(saver.state.kind).toBe('saved');
  });
});

describe('a text that lost its page', () => {
  it('is sent nowhere and stays a draft, whatever is typed', async () => {
    saver.change('mine');
    saver.lose('page');
    saver.change('mine, and on');
    await saver.flush({ explicit: true });
    await seconds(60);
    expect(server.requests).toEqual([]);
    expect(draft?.markdown).toBe('mine, and on');
    expect(saver.isUnsaved).toBe(true);
  });

  it('goes on when its link is back', async () => {
    saver.change('mine');
    saver.lose('notebook');
    saver.recover();
    await seconds(3);
    expect(server.page.markdown).toBe('mine');
  });
});

describe('a refusal', () => {
  it('is not tried again by itself, but with the next change', async () => {
    server.fault = () => {
      throw refusal(413, { title: 'That is more than the service accepts.' });
    };
    saver.change('too large');
    await seconds(60);
    expect(server.requests).toHaveLength(1);
    expect(saver.state).toEqual({ kind: 'refused', reason: 'That is more than the service accepts.' });
    expect(refusals).toHaveLength(1);
    server.fault = undefined;
    saver.change('smaller');
    await seconds(2);
    expect(server.page.markdown).toBe('smaller');
  });
});

describe('a change of the title', () => {
  const retitle = async (revision: number): Promise<ApiPage> => {
    if (revision !== server.page.revision) throw refusal(412, { page: server.page });
    server.page = { ...server.page, title: 'Renamed', revision: revision + 1 };
    return server.page;
  };

  it('takes its turn between saves, and the next save follows its revision', async () => {
    saver.change('typed');
    await saver.withRevision(retitle);
    expect(server.page).toMatchObject({ title: 'Renamed', markdown: 'typed', revision: 3 });
    saver.change('typed more');
    await seconds(2);
    expect(server.page).toMatchObject({ markdown: 'typed more', revision: 4 });
  });

  it('goes through when somebody else changed only the title', async () => {
    server.page = { ...server.page, title: 'Theirs', revision: 7 };
    await saver.withRevision(retitle);
    expect(server.page.title).toBe('Renamed');
  });

  it('does not hide that somebody changed the text', async () => {
    server.page = { ...server.page, markdown: 'theirs', revision: 7 };
    await expect(saver.withRevision(retitle)).rejects.toThrow(ApiProblem);
    saver.change('mine');
    await seconds(2);
    expect(saver.state.kind).toBe('conflict');
    expect(server.page.markdown).toBe('theirs');
  });
});

it('line ends of other systems are no change', async () => {
  saver = new Autosave({ ...server.page, markdown: 'a\r\nb' }, parts());
  saver.change('a\nb');
  await seconds(20);
  expect(server.requests).toEqual([]);
});
