import { describe, expect, it } from 'vitest';
import { savePage } from '../../src/browser/session/save-page.ts';
import { PageTooLong } from '../../src/browser/session/save-problems.ts';
import { AutosaveSetup, refusal, seconds } from './autosave-setup.ts';

const setup = AutosaveSetup.forEachTest();

const full = () =>
  refusal(413, {
    code: 'notebook_too_large',
    title: 'This notebook holds as much text as it can.',
    detail: 'Its pages may hold 10 MiB of text together.',
  });

describe('a notebook that is full', () => {
  const refuse = () => {
    setup.server.fault = () => {
      throw full();
    };
  };

  it('is said with its number, the text is a draft, and it goes out when room comes', async () => {
    refuse();
    setup.saver.change('no place');
    await seconds(2);
    expect(setup.saver.state).toEqual({
      kind: 'refused',
      reason: 'This notebook holds as much text as it can. Its pages may hold 10 MiB of text together.',
      waitsForSpace: true,
    });
    expect(setup.draft?.markdown).toBe('no place');
    setup.server.fault = undefined;
    setup.saver.retryIfFull();
    await seconds(0);
    expect([setup.server.page.markdown, setup.saver.state.kind, setup.draft]).toEqual(['no place', 'saved', undefined]);
  });

  it('is asked again each minute, because another machine may make room', async () => {
    refuse();
    setup.saver.change('no place');
    await seconds(2);
    await seconds(59);
    expect(setup.server.requests).toHaveLength(1);
    await seconds(2);
    expect(setup.server.requests).toHaveLength(2);
    setup.server.fault = undefined;
    await seconds(60);
    expect(setup.server.page.markdown).toBe('no place');
  });

  it('is asked again with the next change', async () => {
    refuse();
    setup.saver.change('no place');
    await seconds(2);
    setup.server.fault = undefined;
    setup.saver.change('less');
    await seconds(2);
    expect(setup.server.page.markdown).toBe('less');
  });

  it('leaves other refusals alone when room comes', async () => {
    setup.server.fault = () => {
      throw refusal(409, { code: 'read_only', title: 'This notebook is read-only.' });
    };
    setup.saver.change('too early');
    await seconds(2);
    setup.saver.retryIfFull();
    await seconds(120);
    expect(setup.server.requests).toHaveLength(1);
  });

  it('is told of room by a save that made the page shorter, and by a shorter text from elsewhere', async () => {
    setup.saver.change('first, longer');
    await seconds(2);
    expect(setup.rooms).toBe(0);
    setup.saver.change('short');
    await seconds(2);
    expect(setup.rooms).toBe(1);
    setup.saver.receive({ ...setup.server.page, markdown: 's', revision: 9 });
    await seconds(0);
    expect(setup.rooms).toBe(2);
  });
});

describe('a page that is too long', () => {
  const long = 'é'.repeat(524_288);

  it('is not sent, and says by how much', async () => {
    const send = (markdown: string) =>
      savePage(undefined as never, 'p', { markdown, baseRevision: 1, autosave: true, keepalive: false });
    await expect(send(`${long}ab`)).rejects.toThrow(
      'This page is 2 bytes too long: a page holds 1 MiB (1,048,576 bytes). Shorten it, or move a part of it to another page.',
    );
    await expect(send(long)).rejects.not.toThrow(PageTooLong);
  });

  it('stays a draft, and goes out once it is short enough', async () => {
    setup.server.fault = ({ markdown }) => {
      if (markdown.length > 10) throw new PageTooLong(1_048_600);
    };
    setup.saver.change('much too long');
    await seconds(120);
    expect(setup.saver.state).toMatchObject({ kind: 'refused', reason: expect.stringContaining('24 bytes too long') });
    expect([setup.server.requests.length, setup.draft?.markdown, setup.refusals]).toEqual([1, 'much too long', []]);
    setup.saver.change('shorter');
    await seconds(2);
    expect([setup.server.page.markdown, setup.saver.state.kind]).toEqual(['shorter', 'saved']);
  });
});

describe('a limit of writes', () => {
  const limited = (wait: string) => {
    setup.server.fault = () => {
      throw refusal(429, { code: 'rate_limited', title: 'Too many requests. Please wait a little.' }, { 'retry-after': wait });
    };
  };

  it('is said with its end, and nothing is sent before it but what the person asks for', async () => {
    limited('30');
    setup.saver.change('slowly');
    await seconds(2);
    expect(setup.saver.state).toEqual({
      kind: 'waiting',
      offline: false,
      reason: 'Too many changes at once. Saving goes on in 30 seconds',
    });
    await setup.saver.flush();
    setup.saver.change('slowly on');
    await seconds(20);
    expect(setup.server.requests).toHaveLength(1);
    await setup.saver.flush({ explicit: true });
    expect(setup.server.requests).toHaveLength(2);
    setup.server.fault = undefined;
    await seconds(31);
    expect([setup.server.page.markdown, setup.saver.state.kind]).toEqual(['slowly on', 'saved']);
  });

  it('names the time of day when it is long, and no header holds a text up for more than ten minutes', async () => {
    limited('86400');
    setup.saver.change('patient');
    await seconds(2);
    expect(setup.saver.state).toMatchObject({ reason: expect.stringMatching(/Saving goes on at \d{1,2}:\d\d/) });
    setup.server.fault = undefined;
    await seconds(600);
    expect(setup.server.page.markdown).toBe('patient');
  });
});
