import { describe, expect, it } from 'vitest';
import type { ApiPage } from '../../src/api/types.ts';
import { ApiProblem, NoConnection } from '../../src/browser/api/api-client.ts';
import { AutosaveSetup, refusal, seconds } from './autosave-setup.ts';

const setup = AutosaveSetup.forEachTest();

describe('when it saves', () => {
  it('two seconds after the last key, as an automatic save against the revision it was made from', async () => {
    setup.saver.change('a');
    await seconds(1.9);
    setup.saver.change('ab');
    await seconds(1.9);
    expect(setup.server.requests).toEqual([]);
    await seconds(0.2);
    expect(setup.server.requests).toEqual([{ markdown: 'ab', baseRevision: 1, autosave: true, keepalive: false }]);
    expect(setup.states).toEqual(['unsaved', 'saving', 'saved']);
  });

  it('ten seconds after the first unsaved key, however long one types', async () => {
    for (let second = 0; second < 11; second += 1) {
      setup.saver.change(`text ${second}`);
      await seconds(1);
    }
    expect(setup.server.requests.map(request => request.markdown)).toEqual(['text 9']);
  });

  it('counts the ten seconds anew after a save', async () => {
    for (let second = 0; second < 31; second += 1) {
      setup.saver.change(`text ${second}`);
      await seconds(1);
    }
    expect(setup.server.requests.map(request => request.markdown)).toEqual(['text 9', 'text 19', 'text 29']);
  });

  it('and tells a waiting caller the end of a save at once: no clock runs here', async () => {
    setup.saver.change('one');
    void setup.saver.flush();
    expect([setup.saver.state.kind, await setup.saver.finish(), setup.server.page.markdown]).toEqual(['saving', true, 'one']);
  });

  it('and merges what came meanwhile as soon as the input method lets go', async () => {
    setup.server.page = { ...setup.server.page, markdown: 'top\nend', revision: 1 };
    setup.open();
    setup.saver.change('top\nend, mine');
    setup.server.page = { ...setup.server.page, markdown: 'TOP\nend', revision: 2 };
    setup.saver.hold();
    const sent = setup.saver.flush();
    await seconds(0);
    expect(setup.saver.text).toBe('top\nend, mine');
    setup.saver.release();
    await sent;
    expect(setup.saver.text).toBe('TOP\nend, mine');
  });

  it('once at a time: what is typed meanwhile follows with the new revision', async () => {
    setup.server.delay = 5_000;
    setup.saver.change('one');
    await seconds(2);
    setup.saver.change('two');
    await seconds(4);
    expect(setup.server.requests).toHaveLength(1);
    await seconds(10);
    expect(setup.server.requests.map(({ markdown, baseRevision }) => [markdown, baseRevision])).toEqual([
      ['one', 1],
      ['two', 2],
    ]);
    expect(setup.saver.state.kind).toBe('saved');
  });

  it('at once when asked, and then not as an automatic one', async () => {
    setup.saver.change('asked');
    await setup.saver.flush({ explicit: true });
    expect(setup.server.requests).toMatchObject([{ markdown: 'asked', autosave: false }]);
    await seconds(20);
    expect(setup.server.requests).toHaveLength(1);
  });

  it('not at all when the text is what it was', async () => {
    setup.saver.change('x');
    setup.saver.change('first');
    await seconds(20);
    expect(setup.server.requests).toEqual([]);
    expect(setup.saver.state.kind).toBe('saved');
  });
});

describe('no connection', () => {
  it('is tried again after 2, 4, 8 … at most 60 seconds, and the text arrives in the end', async () => {
    setup.server.fault = () => {
      throw new NoConnection('down');
    };
    setup.saver.change('patient');
    await seconds(2);
    expect(setup.saver.state).toEqual({ kind: 'waiting', offline: true, reason: 'The server cannot be reached.' });
    const counts: number[] = [];
    for (const wait of [2, 4, 8, 16, 32, 60, 60]) {
      await seconds(wait);
      counts.push(setup.server.requests.length);
    }
    expect(counts).toEqual([2, 3, 4, 5, 6, 7, 8]);
    setup.server.fault = undefined;
    await seconds(60);
    expect(setup.server.page.markdown).toBe('patient');
    expect(setup.saver.state.kind).toBe('saved');
  });

  it('waits as long as the server asks', async () => {
    setup.server.fault = () => {
      throw refusal(429, {}, { 'retry-after': '30' });
    };
    setup.saver.change('slow');
    await seconds(2);
    await seconds(29);
    expect(setup.server.requests).toHaveLength(1);
    await seconds(2);
    expect(setup.server.requests).toHaveLength(2);
  });

  it('that lost only the answer makes no conflict with oneself', async () => {
    setup.server.losesAnswers = true;
    setup.saver.change('arrived');
    await seconds(2);
    setup.server.losesAnswers = false;
    setup.saver.change('arrived, and more');
    await seconds(30);
    expect(setup.states).not.toContain('conflict');
    expect(setup.server.page.markdown).toBe('arrived, and more');
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
    setup.server.fault = () => {
      throw outage();
    };
    setup.saver.change('kept');
    await seconds(2);
    expect(setup.saver.state).toEqual({
      kind: 'waiting',
      offline: false,
      reason: 'The service cannot save right now. It keeps trying.',
    });
    expect(setup.draft?.markdown).toBe('kept');
    setup.server.fault = undefined;
    await seconds(5);
    expect([setup.saver.state.kind, setup.server.page.markdown, setup.draft]).toEqual(['saved', 'kept', undefined]);
  });

  it('that came after the commit makes no conflict with oneself', async () => {
    setup.saver.change('arrived');
    setup.server.fault = request => {
      setup.server.fault = undefined;
      setup.server.page = { ...setup.server.page, markdown: request.markdown, revision: 2 };
      throw outage();
    };
    await seconds(8);
    expect([setup.saver.state.kind, setup.server.page.revision]).toEqual(['saved', 2]);
  });
});

describe('a refusal', () => {
  it('of the length by something on the way says what to do', async () => {
    setup.server.fault = () => {
      throw refusal(413);
    };
    setup.saver.change('too large for a proxy');
    await seconds(2);
    expect(setup.saver.state).toEqual({
      kind: 'refused',
      reason:
        'Something between you and the service refuses texts of this length. Shorten the page, or move a part of it to another page.',
    });
  });

  it('is not tried again by itself, but with the next change', async () => {
    setup.server.fault = () => {
      throw refusal(413, { code: 'too_large', title: 'That is more than the service accepts.' });
    };
    setup.saver.change('too large');
    await seconds(60);
    expect(setup.server.requests).toHaveLength(1);
    expect(setup.saver.state).toEqual({ kind: 'refused', reason: 'That is more than the service accepts.' });
    expect(setup.refusals).toHaveLength(1);
    setup.server.fault = undefined;
    setup.saver.change('smaller');
    await seconds(2);
    expect(setup.server.page.markdown).toBe('smaller');
  });
});

describe('a refusal that is not the server’s', () => {
  it('comes from something on the way: it is tried again', async () => {
    setup.server.fault = () => {
      throw refusal(404);
    };
    setup.saver.change('through a hotel');
    await seconds(2);
    expect(setup.saver.state.kind).toBe('waiting');
    expect(setup.refusals).toEqual([]);
    setup.server.fault = undefined;
    await seconds(10);
    expect(setup.server.page.markdown).toBe('through a hotel');
  });
});

describe('what was refused', () => {
  it('goes out once there is a new edit link', async () => {
    setup.server.fault = () => {
      throw refusal(403, { code: 'edit_token_invalid' });
    };
    setup.saver.change('with the old link');
    await seconds(2);
    expect(setup.saver.state.kind).toBe('refused');
    setup.server.fault = undefined;
    setup.saver.recover();
    await seconds(2);
    expect(setup.server.page.markdown).toBe('with the old link');
  });
});

describe('a change of the title', () => {
  const retitle = async (revision: number): Promise<ApiPage> => {
    if (revision !== setup.server.page.revision) throw refusal(412, { page: setup.server.page });
    setup.server.page = { ...setup.server.page, title: 'Renamed', revision: revision + 1 };
    return setup.server.page;
  };

  it('takes its turn between saves, and the next save follows its revision', async () => {
    setup.saver.change('typed');
    await setup.saver.withRevision(retitle);
    expect(setup.server.page).toMatchObject({ title: 'Renamed', markdown: 'typed', revision: 3 });
    setup.saver.change('typed more');
    await seconds(2);
    expect(setup.server.page).toMatchObject({ markdown: 'typed more', revision: 4 });
  });

  it('goes through when another person changed only the title', async () => {
    setup.server.page = { ...setup.server.page, title: 'Theirs', revision: 7 };
    await setup.saver.withRevision(retitle);
    expect(setup.server.page.title).toBe('Renamed');
  });

  it('does not hide that another person changed the text', async () => {
    setup.server.page = { ...setup.server.page, markdown: 'theirs', revision: 7 };
    await expect(setup.saver.withRevision(retitle)).rejects.toThrow(ApiProblem);
    setup.saver.change('mine');
    await seconds(2);
    expect(setup.saver.state.kind).toBe('conflict');
    expect(setup.server.page.markdown).toBe('theirs');
  });
});

it('line ends of other systems are no change', async () => {
  setup.open({ ...setup.server.page, markdown: 'a\r\nb' });
  setup.saver.change('a\nb');
  await seconds(20);
  expect(setup.server.requests).toEqual([]);
});
