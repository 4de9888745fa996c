import { afterAll, describe, expect, test } from 'vitest';
import { renderBounds } from '../../src/markdown/bounds.ts';
import { createRenderer } from '../../src/markdown/renderer.ts';
import { forbiddenIn } from './forbidden.ts';
import { hostileInputs } from './hostile-inputs.ts';

const timeMillis = 400;
/** What a loaded machine may add to the limit: starting a thread anew, handing 5 MB over. */
const margin = 8_000;
const renderer = createRenderer({ timeMillis, threads: 2 });

afterAll(() => renderer.close());

describe.each([20_000, 200_000, 1_000_000])('hostile texts of %i characters', size => {
  test.each(hostileInputs)('%s: bounded time, bounded output, and the process goes on', { timeout: 30_000 }, async (_, make) => {
    const markdown = make(size);
    let beats = 0;
    const heart = setInterval(() => {
      beats += 1;
    }, 20);
    const started = performance.now();
    const { html, plain } = await renderer.render(markdown);
    const took = performance.now() - started;
    clearInterval(heart);
    expect(took).toBeLessThan(timeMillis + margin);
    // While a thread works the process answers: at least every tenth beat was heard.
    expect(beats).toBeGreaterThanOrEqual(Math.floor(took / 200) - 1);
    expect(html.length).toBeLessThanOrEqual(plain ? markdown.length * 6 + 100 : renderBounds.outputChars);
    if (html.length < 200_000) expect(forbiddenIn(html)).toEqual([]);
  });
});

test('after all of them it renders as before', async () => {
  expect((await renderer.render('*a*')).html).toBe('<p><em>a</em></p>\n');
});
