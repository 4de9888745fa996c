// Too slow for the quick tests: texts that run into their time limits.
import type { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, test } from 'vitest';
import { readFacts } from '../../src/markdown/page-facts.ts';
import { renderMarkdown } from '../../src/markdown/render.ts';
import type { Renderer } from '../../src/markdown/rendered.ts';
import { createRenderer } from '../../src/markdown/renderer.ts';

const open: Renderer[] = [];
function start(limits: Parameters<typeof createRenderer>[0]): Renderer {
  const renderer = createRenderer(limits);
  open.push(renderer);
  return renderer;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map(renderer => renderer.close()));
});

/** Some half a minute in this engine, within every bound and with little memory. */
const slow = `${'a.'.repeat(100_000)}@`;
/** No clock decides: a busy machine may take seconds to start a thread. */
const patient = { threads: 2, quickMillis: 60_000, timeMillis: 60_000, waitMillis: 60_000 };

describe('the server’s renderer', () => {
  test('gives what the same code gives without a thread', async () => {
    const text = '# a\n\nb[^1]\n\n```js\nlet c = 1\n```\n\n[^1]: d';
    const options = { idPrefix: 'user-content-x-', sourceLines: true };
    expect(await start({}).render(text, options)).toEqual(renderMarkdown(text, { ...options, read: readFacts }));
  });

  test('ends a text that takes too long, shows it plain, and goes on', async () => {
    // By the clock it may take long: a busy machine gives the thread little.
    const renderer = start({ threads: 1, timeMillis: 200, waitMillis: 60_000 });
    const [late, next] = await Promise.all([renderer.render(slow), renderer.render('a')]);
    expect(late.plain).toBe('time');
    expect(late.html.startsWith('<pre>\na.a.')).toBe(true);
    expect(next).toEqual({
      html: '<p>a</p>\n',
      headings: [],
      facts: { description: 'a', minutes: 1, slides: false },
    });
  });

  test('ends a text that needs too much memory, and goes on', { timeout: 60_000 }, async () => {
    const renderer = start({ threads: 1, memoryMegabytes: 24, timeMillis: 30_000 });
    const greedy = await renderer.render('*a* `b` '.repeat(120_000));
    expect(greedy.plain).toBe('memory');
    expect((await renderer.render('a')).html).toBe('<p>a</p>\n');
  });

  test('lives on when a thread runs out of memory when nobody waits for it any more', async () => {
    const threads: Worker[] = [];
    const note = (thread: Worker) => threads.push(thread);
    process.on('worker', note);
    const renderer = start({ threads: 1 });
    await renderer.render('a');
    process.off('worker', note);
    expect(threads).toHaveLength(1);
    const late = Object.assign(new Error('JS heap out of memory'), { code: 'ERR_WORKER_OUT_OF_MEMORY' });
    // An error that nobody listens to is thrown, and ends the process.
    threads[0]!.emit('error', late);
    expect((await renderer.render('b')).html).toBe('<p>b</p>\n');
  });

  test('takes many texts at once, each gets its own answer', async () => {
    const renderer = start({ threads: 2 });
    const texts = Array.from({ length: 200 }, (_, index) => `text ${index}`);
    const answers = await Promise.all(texts.map(text => renderer.render(text)));
    expect(answers.map(({ html }) => html)).toEqual(texts.map(text => `<p>${text}</p>\n`));
  });

  test('answers a text at once whose place a newer one took, and renders the newer', async () => {
    const renderer = start({ threads: 1, timeMillis: 200 });
    const turn = { payers: ['a'], background: false, name: 'page 1' };
    const running = renderer.render(slow);
    const older = renderer.render('*older*', {}, turn);
    const newer = renderer.render('*newer*', {}, turn);
    expect(await older).toMatchObject({ plain: 'busy', html: '<pre>\n*older*</pre>' });
    expect((await newer).html).toBe('<p><em>newer</em></p>\n');
    await running;
  });

  test('lets many slow texts of one address wait behind a text of another', async () => {
    const renderer = start({ threads: 1, timeMillis: 200 });
    const done: string[] = [];
    const hostile = Array.from({ length: 3 }, (_, index) =>
      renderer.render(slow, {}, { payers: ['hostile'], background: false }).then(() => done.push(`hostile ${index}`)),
    );
    const other = renderer.render('a', {}, { payers: ['other'], background: false }).then(() => done.push('other'));
    await Promise.all([...hostile, other]);
    // The first sat there already when the other came.
    expect(done.indexOf('other')).toBeLessThanOrEqual(1);
  });

  test('keeps a thread for others while one address has used much', async () => {
    const renderer = start({ ...patient, heavyMillis: 50 });
    const hostile = { payers: ['hostile'], background: false };
    await renderer.render(slow.slice(-20_000), {}, hostile);
    const ended: string[] = [];
    const rest = Promise.allSettled([1, 2, 3].map(() => renderer.render(slow, {}, hostile).then(() => ended.push('slow'))));
    expect((await renderer.render('a', {}, { payers: ['other'], background: false })).html).toBe('<p>a</p>\n');
    expect(ended).toEqual([]);
    await renderer.close();
    await rest;
  });

  test('gives one address, however new, no more than all threads but one', async () => {
    const renderer = start(patient);
    const hostile = { payers: ['hostile'], background: false };
    const ended: string[] = [];
    const rest = Promise.allSettled([1, 2].map(() => renderer.render(slow, {}, hostile).then(() => ended.push('slow'))));
    expect((await renderer.render('a', {}, { payers: ['other'], background: false })).html).toBe('<p>a</p>\n');
    expect(ended).toEqual([]);
    await renderer.close();
    await rest;
  });

  test('is full at its bound: background work leaves first, without its words', async () => {
    const renderer = start({ threads: 1, timeMillis: 200, maxWaiting: 2 });
    const running = renderer.render(slow);
    const inAdvance = renderer.render('*a*', {}, { payers: ['a'], background: true });
    const views = ['b', 'c'].map(payer => renderer.render(`*${payer}*`, {}, { payers: [payer], background: false }));
    expect(await inAdvance).toEqual({ html: '', headings: [], plain: 'busy' });
    expect((await Promise.all(views)).map(({ html }) => html)).toEqual(['<p><em>b</em></p>\n', '<p><em>c</em></p>\n']);
    await running;
  });

  test('when closed, rejects what waits and what comes', async () => {
    const renderer = start({ threads: 1 });
    const running = renderer.render(slow);
    const waiting = renderer.render('a');
    const outcome = Promise.allSettled([running, waiting]);
    await renderer.close();
    expect((await outcome)[1]!.status).toBe('rejected');
    await expect(renderer.render('a')).rejects.toThrow('closed');
  });
});
