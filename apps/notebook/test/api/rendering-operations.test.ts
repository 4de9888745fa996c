import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { limits } from '../../src/limits.ts';
import type { Rendered, RenderOptions, RenderTurn } from '../../src/markdown/rendered.ts';
import type { Notebook, Page } from '../../src/model/notebook.ts';
import { isLasting, renderInAdvance, renderPage, renderPageByHead } from '../../src/operations/render-page.ts';
import { type OpenParts, openParts } from '../support/parts-in-memory.ts';
import { turnsOf } from '../support/turns.ts';

const facts = { description: 'What it says', minutes: 1, slides: false };
/** A thread whose answers are given by hand; without one it answers at once. */
interface Asked {
  readonly markdown: string;
  readonly options: RenderOptions | undefined;
  readonly turn: RenderTurn;
  readonly answer: PromiseWithResolvers<Rendered>;
}
let asked: Asked[];
let byHand: boolean;
let open: OpenParts;

const htmlOf = (markdown: string): Rendered => ({ html: `<p>${markdown}</p>`, headings: [], facts });
const render = (markdown: string, options?: RenderOptions, turn?: RenderTurn) => {
  const answer = Promise.withResolvers<Rendered>();
  asked.push({ markdown, options, turn: turn!, answer });
  if (!byHand) answer.resolve(htmlOf(markdown));
  return answer.promise;
};

beforeEach(async () => {
  [asked, byHand] = [[], false];
  open = await openParts({ renderer: { render, engine: 'test', close: async () => {} } });
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await open.close();
});
const pageOf = async (notebook: Notebook, page: Page): Promise<Page> => (await open.parts.store.findPage(notebook.id, page.id))!;
async function onePage(markdown = 'one'): Promise<{ notebook: Notebook; page: Page }> {
  const { notebook, pages } = await open.keep({}, [markdown]);
  return { notebook, page: await pageOf(notebook, pages[0]!) };
}

describe('a rendering', () => {
  const client = '203.0.113.7';

  it('is made once for all who ask, kept, and not made again', async () => {
    const { page, notebook } = await onePage();
    const both = await Promise.all([
      renderPage(open.parts, page, 'view', client),
      renderPage(open.parts, page, 'view', undefined),
    ]);
    expect(both.map(({ rendered }) => rendered)).toEqual([htmlOf('one'), htmlOf('one')]);
    expect(asked.map(({ options, turn }) => [options, turn])).toEqual([
      [{}, { payers: [`notebook ${notebook.id}`, `address ${client}`], background: false, name: `view ${page.id}` }],
    ]);
    expect(await renderPageByHead(open.parts, notebook.id, page, 'view', client)).toEqual({ rendered: htmlOf('one') });
    expect(asked).toHaveLength(1);
    await renderPage(open.parts, page, 'print', undefined);
    await renderPage(open.parts, page, 'book', client);
    expect(asked.slice(1).map(({ options, turn }) => [options, turn.payers, turn.name])).toEqual([
      [{ idPrefix: `user-content-${page.id}-` }, [`notebook ${notebook.id}`], `print ${page.id}`],
      [{ book: true }, [`notebook ${notebook.id}`, `address ${client}`], `book ${page.id}`],
    ]);
  });

  it.each([
    ['HTML', { json: JSON.stringify({ headings: [], facts }), packed: Buffer.from('no deflate') }],
    ['facts', { json: '{"html":"<p>', packed: null }],
  ])('whose %s cannot be read any more is made again, and kept', async (_, damaged) => {
    const { page, notebook } = await onePage();
    const key = { revision: page.revision, variant: 'view', engine: 'test' };
    await open.parts.store.keepRendering(page.id, key, damaged);
    expect(await renderPageByHead(open.parts, notebook.id, page, 'view', client)).toEqual({ rendered: htmlOf('one') });
    expect(await open.parts.store.findRendering(page.id, key)).toEqual({ json: JSON.stringify(htmlOf('one')), packed: null });
    expect(await renderPageByHead(open.parts, notebook.id, page, 'view', client)).toEqual({ rendered: htmlOf('one') });
    expect(asked).toHaveLength(1);
  });

  it('of a text that is too much for one way of showing it is not tried for another', async () => {
    const { page, notebook } = await onePage('a <b');
    byHand = true;
    const first = renderPage(open.parts, page, 'view', client);
    await expect.poll(() => asked.length).toBe(1);
    asked[0]!.answer.resolve({ html: '', headings: [], plain: 'nesting' });
    const plain = {
      html: '<pre>\na &lt;b</pre>',
      headings: [],
      plain: 'nesting',
      facts: expect.objectContaining({ minutes: 1 }),
    };
    expect((await first).rendered).toEqual(plain);
    expect((await renderPage(open.parts, page, 'print', client)).rendered).toEqual(plain);
    expect((await renderPage(open.parts, page, 'book', client)).rendered).toEqual(plain);
    expect((await renderPageByHead(open.parts, notebook.id, page, 'view', client))?.rendered).toEqual(plain);
    expect(asked).toHaveLength(1);
    // Print alone is known: a view asks print, a book does not.
    const other = await onePage('other');
    const printed = renderPage(open.parts, other.page, 'print', client);
    await expect.poll(() => asked.length).toBe(2);
    asked[1]!.answer.resolve({ html: '', headings: [], plain: 'time' });
    await printed;
    expect((await renderPage(open.parts, other.page, 'view', client)).rendered.plain).toBe('time');
    expect(asked).toHaveLength(2);
  });

  it('that is the long text as it was written is put together a piece a turn of the event loop', async () => {
    byHand = true;
    const shownPlain = async (markdown: string) => {
      const { page } = await onePage(markdown);
      const first = renderPage(open.parts, page, 'view', client);
      await expect.poll(() => asked.length).toBe(1);
      asked.pop()!.answer.resolve({ html: '', headings: [], plain: 'time' });
      await first;
      return turnsOf(() => renderPage(open.parts, page, 'view', client));
    };
    const [short, long] = [await shownPlain('>'), await shownPlain('>'.repeat(400_000))];
    expect(long.result.rendered.html).toBe(`<pre>\n${'&gt;'.repeat(400_000)}</pre>`);
    // Four pieces, and what goes around them.
    expect(long.turns - short.turns).toBeGreaterThanOrEqual(6);
  });

  it('that failed in the moment is not kept', async () => {
    expect(['nesting', 'time', 'memory', 'fault', 'busy', undefined].map(plain => isLasting({ plain } as Rendered))).toEqual([
      ...[true, true, true, false, false, true],
    ]);
    const { page } = await onePage();
    byHand = true;
    for (const [at, plain] of (['fault', 'busy'] as const).entries()) {
      const showing = renderPage(open.parts, page, 'view', client);
      await expect.poll(() => asked.length).toBe(at + 1);
      asked[at]!.answer.resolve({ html: '', headings: [], plain });
      expect((await showing).rendered.plain).toBe(plain);
    }
    byHand = false;
    expect((await renderPage(open.parts, page, 'view', client)).rendered).toEqual(htmlOf('one'));
  });

  it('in advance is nobody’s turn but the writer’s, until a reader comes', async () => {
    const { page, notebook } = await onePage();
    byHand = true;
    const advance = renderInAdvance(open.parts, page, 'writer');
    await expect.poll(() => asked.length).toBe(1);
    const { turn } = asked[0]!;
    expect(turn).toMatchObject({ payers: [`notebook ${notebook.id}`, 'address writer'], background: true });
    const showing = renderPage(open.parts, page, 'view', 'reader');
    expect(turn).toMatchObject({ payers: [`notebook ${notebook.id}`, 'address reader'], background: false });
    const another = renderPage(open.parts, page, 'view', 'later');
    expect(turn.payers).toContain('address reader');
    asked[0]!.answer.resolve(htmlOf('one'));
    await Promise.all([advance, showing, another]);
    expect(asked).toHaveLength(1);
  });

  it('that takes long is shown plain for now, and comes later', async () => {
    byHand = true;
    let now = 1_000;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    const start = async (variant: 'view' | 'print' | 'book', maxMillis?: number) => {
      const { page } = await onePage(`${variant} ${now}`);
      const count = asked.length;
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
      const showing = renderPage(open.parts, page, variant, client, maxMillis);
      const look = (millis: number) => {
        now += millis;
        vi.advanceTimersByTime(50);
      };
      for (; asked.length === count; ) await new Promise(resolve => setImmediate(resolve));
      let isOver = false;
      const end = () => {
        isOver = true;
      };
      showing.then(end, end);
      const over = async () => {
        await new Promise(resolve => setImmediate(resolve));
        return isOver;
      };
      return { showing, look, over, last: asked.at(-1)! };
    };
    const { maxRenderWaitSeconds, maxPrintWaitSeconds, maxViewWaitSeconds } = limits;
    for (const [variant, seconds] of [
      ['view', maxRenderWaitSeconds],
      ['print', maxPrintWaitSeconds],
      ['book', maxPrintWaitSeconds],
    ] as const) {
      const { showing, look, over, last } = await start(variant);
      look(seconds * 1_000 - 1);
      expect([variant, await over()]).toEqual([variant, false]);
      look(1);
      expect([variant, await over()]).toEqual([variant, true]);
      const { rendered, later } = await showing;
      expect(rendered.plain).toBe('busy');
      last.answer.resolve(htmlOf('late'));
      await later;
    }
    const running = await start('view');
    running.last.turn.running = true;
    running.look(maxRenderWaitSeconds * 1_000 + 1);
    expect(await running.over()).toBe(false);
    running.look(maxViewWaitSeconds * 1_000);
    expect(await running.over()).toBe(true);
    const late = await start('view');
    Object.assign(late.last.turn, { running: true, late: true });
    late.look(0);
    expect(await late.over()).toBe(true);
    const printed = await start('print');
    Object.assign(printed.last.turn, { running: true, late: true });
    printed.look(0);
    expect(await printed.over()).toBe(false);
    printed.last.answer.reject(new Error('the thread ended'));
    await expect(printed.showing).rejects.toThrow('the thread ended');
    const short = await start('print', 100);
    short.look(99);
    expect(await short.over()).toBe(false);
    short.look(1);
    expect(await short.over()).toBe(true);
    short.last.answer.reject(new Error('the thread ended'));
    await (await short.showing).later;
  });

  it('is none of a text that ended the process twice', async () => {
    const { page, notebook } = await onePage();
    vi.spyOn(open.parts.texts, 'isUnsafe').mockReturnValue(true);
    expect((await renderPage(open.parts, page, 'view', client)).rendered).toMatchObject({
      html: '<pre>\none</pre>',
      plain: 'time',
    });
    expect((await renderPageByHead(open.parts, notebook.id, page, 'view', client))?.rendered.plain).toBe('time');
    await renderInAdvance(open.parts, page, client);
    expect(asked).toEqual([]);
  });

  it('of a page that is gone is none', async () => {
    const { notebook } = await onePage();
    expect(await renderPageByHead(open.parts, notebook.id, { id: 'none', revision: 1 }, 'view', client)).toBeUndefined();
  });
});
