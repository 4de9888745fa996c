import { afterEach, describe, expect, test } from 'vitest';
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

/** Slow in any engine of this kind, and within every bound. */
const slow = `- a\n${'b\n'.repeat(60_000)}`;

describe('the server’s renderer', () => {
  test('gives what the same code gives without a thread', async () => {
    const text = '# a\n\nb[^1]\n\n```js\nlet c = 1\n```\n\n[^1]: d';
    const options = { idPrefix: 'user-content-x-', sourceLines: true };
    expect(await start({}).render(text, options)).toEqual(renderMarkdown(text, options));
  });

  test('ends a text that takes too long, shows it plain, and goes on', async () => {
    const renderer = start({ threads: 1, timeMillis: 300 });
    const [late, next] = await Promise.all([renderer.render(slow), renderer.render('a')]);
    expect(late.plain).toBe('time');
    expect(late.html.startsWith('<pre>\n- a\nb\n')).toBe(true);
    expect(next).toEqual({ html: '<p>a</p>\n', headings: [] });
  });

  test('ends a text that needs too much memory, and goes on', { timeout: 60_000 }, async () => {
    const renderer = start({ threads: 1, memoryMegabytes: 24, timeMillis: 30_000 });
    const greedy = await renderer.render('*a* `b` '.repeat(120_000));
    expect(greedy.plain).toBe('memory');
    expect((await renderer.render('a')).html).toBe('<p>a</p>\n');
  });

  test('takes many texts at once, each gets its own answer', async () => {
    const renderer = start({ threads: 2 });
    const texts = Array.from({ length: 200 }, (_, index) => `text ${index}`);
    const answers = await Promise.all(texts.map(text => renderer.render(text)));
    expect(answers.map(({ html }) => html)).toEqual(texts.map(text => `<p>${text}</p>\n`));
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
