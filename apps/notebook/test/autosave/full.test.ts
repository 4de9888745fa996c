import { describe, expect, it } from 'vitest';
import { savePage } from '../../src/browser/session/save-page.ts';
import { PageTooLong } from '../../src/browser/session/save-problems.ts';
import { AutosaveDesk, refusal, seconds } from './autosave-desk.ts';

const desk = AutosaveDesk.forEachTest();

const full = () =>
  refusal(413, {
    code: 'notebook_too_large',
    title: 'This notebook holds as much text as it can.',
    detail: 'Its pages may hold 10 MiB of text together.',
  });

describe('a notebook that is full', () => {
  const refuse = () => {
    desk.server.fault = () => {
      throw full();
    };
  };

  it('is said with its number, the text is a draft, and it goes out when room comes', async () => {
    refuse();
    desk.saver.change('no place');
    await seconds(2);
    expect(desk.saver.state).toEqual({
      kind: 'refused',
      reason: 'This notebook holds as much text as it can. Its pages may hold 10 MiB of text together.',
      waitsForRoom: true,
    });
    expect(desk.draft?.markdown).toBe('no place');
    desk.server.fault = undefined;
    desk.saver.roomCame();
    await seconds(0);
    expect([desk.server.page.markdown, desk.saver.state.kind, desk.draft]).toEqual(['no place', 'saved', undefined]);
  });

  it('is asked again each minute, because another machine may make room', async () => {
    refuse();
    desk.saver.change('no place');
    await seconds(2);
    await seconds(59);
    expect(desk.server.requests).toHaveLength(1);
    await seconds(2);
    expect(desk.server.requests).toHaveLength(2);
    desk.server.fault = undefined;
    await seconds(60);
    expect(desk.server.page.markdown).toBe('no place');
  });

  it('is asked again with the next change', async () => {
    refuse();
    desk.saver.change('no place');
    await seconds(2);
    desk.server.fault = undefined;
    desk.saver.change('less');
    await seconds(2);
    expect(desk.server.page.markdown).toBe('less');
  });

  it('leaves other refusals alone when room comes', async () => {
    desk.server.fault = () => {
      throw refusal(409, { code: 'read_only', title: 'This notebook is read-only.' });
    };
    desk.saver.change('too early');
    await seconds(2);
    desk.saver.roomCame();
    await seconds(120);
    expect(desk.server.requests).toHaveLength(1);
  });

  it('is told of room by a save that made the page shorter, and by a shorter text from elsewhere', async () => {
    desk.saver.change('first, longer');
    await seconds(2);
    expect(desk.rooms).toBe(0);
    desk.saver.change('short');
    await seconds(2);
    expect(desk.rooms).toBe(1);
    desk.saver.receive({ ...desk.server.page, markdown: 's', revision: 9 });
    await seconds(0);
    expect(desk.rooms).toBe(2);
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
    desk.server.fault = ({ markdown }) => {
      if (markdown.length > 10) throw new PageTooLong(1_048_600);
    };
    desk.saver.change('much too long');
    await seconds(120);
    expect(desk.saver.state).toMatchObject({ kind: 'refused', reason: expect.stringContaining('24 bytes too long') });
    expect([desk.server.requests.length, desk.draft?.markdown, desk.refusals]).toEqual([1, 'much too long', []]);
    desk.saver.change('shorter');
    await seconds(2);
    expect([desk.server.page.markdown, desk.saver.state.kind]).toEqual(['shorter', 'saved']);
  });
});

describe('a limit of writes', () => {
  const limited = (wait: string) => {
    desk.server.fault = () => {
      throw refusal(429, { code: 'rate_limited', title: 'Too many requests. Please wait a little.' }, { 'retry-after': wait });
    };
  };

  it('is said with its end, and nothing is sent before it but what the person asks for', async () => {
    limited('30');
    desk.saver.change('slowly');
    await seconds(2);
    expect(desk.saver.state).toEqual({
      kind: 'waiting',
      offline: false,
      reason: 'Too many changes at once. Saving goes on in 30 seconds',
    });
    await desk.saver.flush();
    desk.saver.change('slowly on');
    await seconds(20);
    expect(desk.server.requests).toHaveLength(1);
    await desk.saver.flush({ explicit: true });
    expect(desk.server.requests).toHaveLength(2);
    desk.server.fault = undefined;
    await seconds(31);
    expect([desk.server.page.markdown, desk.saver.state.kind]).toEqual(['slowly on', 'saved']);
  });

  it('names the time of day when it is long, and no header holds a text up for more than ten minutes', async () => {
    limited('86400');
    desk.saver.change('patient');
    await seconds(2);
    expect(desk.saver.state).toMatchObject({ reason: expect.stringMatching(/Saving goes on at \d{1,2}:\d\d/) });
    desk.server.fault = undefined;
    await seconds(600);
    expect(desk.server.page.markdown).toBe('patient');
  });
});
