import { describe, expect, it } from 'vitest';
import { ApiProblem, NoConnection } from '../../src/browser/api/api-client.ts';
import type { ApiPage } from '../../src/browser/api/api-types.ts';
import { AutosaveDesk, refusal, seconds } from './autosave-desk.ts';

const desk = AutosaveDesk.forEachTest();

describe('when it saves', () => {
  it('two seconds after the last key, as an automatic save against the revision it was made from', async () => {
    desk.saver.change('a');
    await seconds(1.9);
    desk.saver.change('ab');
    await seconds(1.9);
    expect(desk.server.requests).toEqual([]);
    await seconds(0.2);
    expect(desk.server.requests).toEqual([{ markdown: 'ab', baseRevision: 1, autosave: true, keepalive: false }]);
    expect(desk.states).toEqual(['unsaved', 'saving', 'saved']);
  });

  it('ten seconds after the first unsaved key, however long one types', async () => {
    for (let second = 0; second < 11; second += 1) {
      desk.saver.change(`text ${second}`);
      await seconds(1);
    }
    expect(desk.server.requests.map(request => request.markdown)).toEqual(['text 9']);
  });

  it('counts the ten seconds anew after a save', async () => {
    for (let second = 0; second < 31; second += 1) {
      desk.saver.change(`text ${second}`);
      await seconds(1);
    }
    expect(desk.server.requests.map(request => request.markdown)).toEqual(['text 9', 'text 19', 'text 29']);
  });

  it('once at a time: what is typed meanwhile follows with the new revision', async () => {
    desk.server.delay = 5_000;
    desk.saver.change('one');
    await seconds(2);
    desk.saver.change('two');
    await seconds(4);
    expect(desk.server.requests).toHaveLength(1);
    await seconds(10);
    expect(desk.server.requests.map(({ markdown, baseRevision }) => [markdown, baseRevision])).toEqual([
      ['one', 1],
      ['two', 2],
    ]);
    expect(desk.saver.state.kind).toBe('saved');
  });

  it('at once when asked, and then not as an automatic one', async () => {
    desk.saver.change('asked');
    await desk.saver.flush({ explicit: true });
    expect(desk.server.requests).toMatchObject([{ markdown: 'asked', autosave: false }]);
    await seconds(20);
    expect(desk.server.requests).toHaveLength(1);
  });

  it('not at all when the text is what it was', async () => {
    desk.saver.change('x');
    desk.saver.change('first');
    await seconds(20);
    expect(desk.server.requests).toEqual([]);
    expect(desk.saver.state.kind).toBe('saved');
  });
});

describe('no connection', () => {
  it('is tried again after 2, 4, 8 … at most 60 seconds, and the text arrives in the end', async () => {
    desk.server.fault = () => {
      throw new NoConnection('down');
    };
    desk.saver.change('patient');
    await seconds(2);
    expect(desk.saver.state).toEqual({ kind: 'waiting', offline: true, reason: 'The server cannot be reached.' });
    const counts: number[] = [];
    for (const wait of [2, 4, 8, 16, 32, 60, 60]) {
      await seconds(wait);
      counts.push(desk.server.requests.length);
    }
    expect(counts).toEqual([2, 3, 4, 5, 6, 7, 8]);
    desk.server.fault = undefined;
    await seconds(60);
    expect(desk.server.page.markdown).toBe('patient');
    expect(desk.saver.state.kind).toBe('saved');
  });

  it('waits as long as the server asks', async () => {
    desk.server.fault = () => {
      throw refusal(429, {}, { 'retry-after': '30' });
    };
    desk.saver.change('slow');
    await seconds(2);
    await seconds(29);
    expect(desk.server.requests).toHaveLength(1);
    await seconds(2);
    expect(desk.server.requests).toHaveLength(2);
  });

  it('that lost only the answer makes no conflict with oneself', async () => {
    desk.server.losesAnswers = true;
    desk.saver.change('arrived');
    await seconds(2);
    desk.server.losesAnswers = false;
    desk.saver.change('arrived, and more');
    await seconds(30);
    expect(desk.states).not.toContain('conflict');
    expect(desk.server.page.markdown).toBe('arrived, and more');
  });
});

describe('an outage of the database', () => {
  const outage = () =>
    refusal(
      503,
      { code: 'unavailable', title: 'The service is not available right now.', detail: 'The database does not work right now.' },
      { 'retry-after': '5' },
    );

  it('is told in plain words, the text is kept, and is saved when the service can again', async () => {
    desk.server.fault = () => {
      throw outage();
    };
    desk.saver.change('kept');
    await seconds(2);
    expect(desk.saver.state).toEqual({
      kind: 'waiting',
      offline: false,
      reason: 'The service cannot save right now. It keeps trying.',
    });
    expect(desk.draft?.markdown).toBe('kept');
    desk.server.fault = undefined;
    await seconds(5);
    expect([desk.saver.state.kind, desk.server.page.markdown, desk.draft]).toEqual(['saved', 'kept', undefined]);
  });

  it('that came after the commit makes no conflict with oneself', async () => {
    desk.saver.change('arrived');
    desk.server.fault = request => {
      desk.server.fault = undefined;
      desk.server.page = { ...desk.server.page, markdown: request.markdown, revision: 2 };
      throw outage();
    };
    await seconds(8);
    expect([desk.saver.state.kind, desk.server.page.revision]).toEqual(['saved', 2]);
  });
});

describe('a refusal', () => {
  it('is not tried again by itself, but with the next change', async () => {
    desk.server.fault = () => {
      throw refusal(413, { code: 'too_large', title: 'That is more than the service accepts.' });
    };
    desk.saver.change('too large');
    await seconds(60);
    expect(desk.server.requests).toHaveLength(1);
    expect(desk.saver.state).toEqual({ kind: 'refused', reason: 'That is more than the service accepts.' });
    expect(desk.refusals).toHaveLength(1);
    desk.server.fault = undefined;
    desk.saver.change('smaller');
    await seconds(2);
    expect(desk.server.page.markdown).toBe('smaller');
  });
});

describe('a refusal that is not the server’s', () => {
  it('comes from something on the way: it is tried again', async () => {
    desk.server.fault = () => {
      throw refusal(404);
    };
    desk.saver.change('through a hotel');
    await seconds(2);
    expect(desk.saver.state.kind).toBe('waiting');
    expect(desk.refusals).toEqual([]);
    desk.server.fault = undefined;
    await seconds(10);
    expect(desk.server.page.markdown).toBe('through a hotel');
  });
});

describe('what was refused', () => {
  it('goes out once there is a new edit link', async () => {
    desk.server.fault = () => {
      throw refusal(403, { code: 'edit_token_invalid' });
    };
    desk.saver.change('with the old link');
    await seconds(2);
    expect(desk.saver.state.kind).toBe('refused');
    desk.server.fault = undefined;
    desk.saver.recover();
    await seconds(2);
    expect(desk.server.page.markdown).toBe('with the old link');
  });
});

describe('a change of the title', () => {
  const retitle = async (revision: number): Promise<ApiPage> => {
    if (revision !== desk.server.page.revision) throw refusal(412, { page: desk.server.page });
    desk.server.page = { ...desk.server.page, title: 'Renamed', revision: revision + 1 };
    return desk.server.page;
  };

  it('takes its turn between saves, and the next save follows its revision', async () => {
    desk.saver.change('typed');
    await desk.saver.withRevision(retitle);
    expect(desk.server.page).toMatchObject({ title: 'Renamed', markdown: 'typed', revision: 3 });
    desk.saver.change('typed more');
    await seconds(2);
    expect(desk.server.page).toMatchObject({ markdown: 'typed more', revision: 4 });
  });

  it('goes through when somebody else changed only the title', async () => {
    desk.server.page = { ...desk.server.page, title: 'Theirs', revision: 7 };
    await desk.saver.withRevision(retitle);
    expect(desk.server.page.title).toBe('Renamed');
  });

  it('does not hide that somebody changed the text', async () => {
    desk.server.page = { ...desk.server.page, markdown: 'theirs', revision: 7 };
    await expect(desk.saver.withRevision(retitle)).rejects.toThrow(ApiProblem);
    desk.saver.change('mine');
    await seconds(2);
    expect(desk.saver.state.kind).toBe('conflict');
    expect(desk.server.page.markdown).toBe('theirs');
  });
});

it('line ends of other systems are no change', async () => {
  desk.open({ ...desk.server.page, markdown: 'a\r\nb' });
  desk.saver.change('a\nb');
  await seconds(20);
  expect(desk.server.requests).toEqual([]);
});
