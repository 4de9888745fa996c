import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ServiceInBrowser } from '../support/service-in-browser.ts';

let octavo: ServiceInBrowser;
let page: Page;
beforeAll(async () => {
  octavo = await ServiceInBrowser.borrow();
  page = await octavo.browser.newPage();
  await page.addInitScript(() => {
    if (parent !== window) return;
    const watched = { silence: 0, layout: 0 };
    Object.assign(window, { watched });
    let begun: number | undefined;
    let last: number;
    const look = () => {
      if (begun === undefined) return;
      const now = performance.now();
      watched.silence = Math.max(watched.silence, now - last);
      last = now;
    };
    setInterval(look, 10);
    const { postMessage, terminate } = Worker.prototype;
    Worker.prototype.postMessage = function (this: Worker, ...message: unknown[]) {
      begun = last = performance.now();
      Reflect.apply(postMessage, this, message);
    };
    Worker.prototype.terminate = function (this: Worker) {
      if (begun !== undefined) {
        look();
        watched.layout = performance.now() - begun;
      }
      begun = undefined;
      Reflect.apply(terminate, this, []);
    };
  });
});
afterAll(() => octavo?.close());

/** The same numbers each time, spread over the things. */
function graph(nodes: number, edges: number, head = 'flowchart TD'): string {
  let seed = 7;
  const any = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * nodes);
  };
  return [head, ...Array.from({ length: edges }, () => `  A${any()} --> A${any()}`)].join('\n');
}

interface Shown {
  /** How long the worker laid out the diagram drawn last, in milliseconds. */
  readonly layout: number;
  /** The longest time in which the page did nothing meanwhile. */
  readonly silence: number;
  readonly problem: string;
  readonly pictures: number;
}

async function make(source: string): Promise<string> {
  const { slug } = await octavo.create({ title: 'Drawn', pages: [{ markdown: `\`\`\`mermaid\n${source}\n\`\`\`\n` }] });
  const address = `${octavo.origin}/n/${slug}`;
  // A busy machine shows a page plain for now, without its diagrams: this is about the one that has them.
  await expect.poll(async () => (await fetch(address)).text(), { timeout: 30_000 }).toMatch(/<script[^>]*diagrams/);
  return address;
}

async function show(source: string): Promise<Shown> {
  const address = await make(source);
  await page.goto(address, { waitUntil: 'commit' });
  await page.locator('html[data-diagrams="drawn"]').waitFor({ timeout: 60_000 });
  return {
    ...(await page.evaluate(() => (window as unknown as { watched: Pick<Shown, 'layout' | 'silence'> }).watched)),
    problem: (await page.locator('.diagram-problem').allInnerTexts()).join(),
    pictures: await page.locator('.diagram img').count(),
  };
}

it('60 things with 299 lines between them, which froze the page for 12 s, stay source and say why', {
  timeout: 90_000,
}, async () => {
  const { problem, pictures } = await show(graph(90, 158));
  expect(problem).toMatch(/^This diagram cannot be drawn: \d+ things with \d+ lines between them are too many\.$/);
  expect(pictures).toBe(0);
  expect((await show(graph(60, 299))).problem).toContain('This diagram cannot be drawn');
});

it.each([
  ['its own', 'flowchart TD'],
  ['another layout engine, which a text may ask for', '---\nconfig:\n  layout: elk\n---\nflowchart TD'],
])('a long layout does not stop the page: %s', { timeout: 120_000 }, async (_, head) => {
  // The first one also waits for the engine to be fetched and compiled.
  await show('flowchart TD\n  A --> B');
  const small = await show('flowchart TD\n  A --> B');
  const large = await show(graph(70, 158, head));
  // It took its time (or there was nothing to prove), and the page went on meanwhile.
  expect(large.layout).toBeGreaterThan(3 * small.layout);
  expect(small.layout).toBeGreaterThan(0);
  expect(large.silence).toBeLessThan(large.layout / 4);
});

it.each([
  ['letters without a space', `flowchart LR\n  A${'A'.repeat(7_000)}`, 'a line of more than'],
  ['lines of a sequence', `sequenceDiagram\n${'  A->>B: x\n'.repeat(200)}`, 'may have 120 lines'],
  [
    'things of a mind map',
    `mindmap\n  root\n${Array.from({ length: 90 }, (_, i) => `    n${i}`).join('\n')}`,
    'may have 60 lines',
  ],
  ['lines between classes', graph(30, 90, 'classDiagram'), '90 lines between things, more than 70'],
  ['lines between states', graph(30, 90, 'stateDiagram-v2'), '90 lines between things, more than 80'],
  [
    'members of a class',
    `classDiagram\n${Array.from({ length: 150 }, (_, i) => `  A : int f${i}`).join('\n')}`,
    'may have 130 lines',
  ],
  ['things without a line', `flowchart LR\n${Array.from({ length: 180 }, (_, i) => `  A${i}`).join('\n')}`, '180 things'],
  ['lines that multiply', `flowchart LR\n  ${'A & '.repeat(30)}B --> ${'C & '.repeat(30)}D`, 'has more than 160 lines between'],
  ['rows of a packet, which one line asks for,', 'packet-beta\n  0-1000000000: "x"', 'fields, more than 120'],
  ['rows of a packet without a width', '%%{init: {"packet": {"bitsPerRow": 0}}}%%\npacket-beta\n  0-9: "x"', 'fields, more than'],
  ['spaces between blocks', 'block-beta\n  columns 3\n  space:3000000 b', 'more than 60 spaces'],
  [
    'settings that repeat each other',
    `---\na: &a [x,x,x,x,x,x,x,x,x]\n${Array.from('bcdefghij', (to, at) => `${to}: &${to} [${Array(9).fill(`*${'abcdefghi'[at]}`)}]`).join('\n')}\nconfig: {x: *j}\n---\nflowchart TD\n  A --> B`,
    'its settings refer to each other',
  ],
  [
    'days that a plan leaves out',
    `gantt\n  dateFormat YYYY-MM-DD\n  excludes weekends\n${Array.from({ length: 60 }, (_, i) => `  T${i} :t${i}, 2000-01-01, 9000d`).join('\n')}`,
    'days that it leaves out take too long',
  ],
  ['areas', `venn-beta\n${Array.from({ length: 58 }, (_, i) => `  set A${i}`).join('\n')}`, 'may have 20 lines'],
])('too many %s are not drawn at all', { timeout: 90_000 }, async (_, source, words) => {
  const { problem, pictures } = await show(source);
  expect(problem.toLowerCase()).toContain(words);
  expect(pictures).toBe(0);
});

it('groups within groups are laid out outside as well, each in its turn', { timeout: 90_000 }, async () => {
  const source =
    'flowchart LR\n  subgraph one [One]\n    direction TB\n    A[Paper] --> B[Press]\n    subgraph two [Two]\n      C --> D\n    end\n  end\n  B --> C\n  D --> E[Shelf]\n  A -- again --> A';
  const { problem, pictures } = await show(source);
  expect([problem, pictures > 0]).toEqual(['', true]);
});

it.each([
  ['a hand-drawn look', '---\nconfig:\n  look: handDrawn\n  flowchart:\n    padding: 3000\n---'],
  ['labels of no width', '---\nconfig:\n  flowchart:\n    wrappingWidth: 1\n---'],
])('%s, which a text may ask for, is not drawn: it takes seconds', { timeout: 90_000 }, async (_, head) => {
  const source = `${head}\nflowchart TD\n${Array.from({ length: 6 }, (__, i) => `  A${i}[${'i'.repeat(20)}]`).join('\n')}`;
  const address = await make(source);
  await page.goto(address, { waitUntil: 'commit' });
  await page.locator('html[data-diagrams="drawn"]').waitFor({ timeout: 60_000 });
  const svg = decodeURIComponent((await page.locator('.diagram img').first().getAttribute('src'))!);
  expect(svg).not.toContain('class="rough-node');
  // One line of letters each.
  expect(svg.match(/<tspan[^>]*text-outer-tspan/g)).toHaveLength(6);
});
