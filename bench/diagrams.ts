import type { Page } from 'playwright-core';
import { ServiceInBrowser } from '../apps/notebook/test/support/service-in-browser.ts';

// The longest task of a reader's page while its diagram is drawn, for the largest diagrams that are drawn at all, in processor
// time. The smallest diagram loads the same engine: anything above its time is the diagram's own.
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);

/** The same numbers each time, spread over the nodes. */
function graph(
  nodes: number,
  edges: number,
  head = 'flowchart TD',
  line = (from: number, to: number) => `  A${from} --> A${to}`,
) {
  let seed = 7;
  const any = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * nodes);
  };
  return [head, ...Array.from({ length: edges }, () => line(any(), any()))].join('\n');
}
const many = (count: number, line: (at: number) => string) => Array.from({ length: count }, (_, at) => line(at)).join('\n');

const diagrams: Record<string, string> = {
  'the smallest': 'flowchart TD\n  A --> B',
  'flowchart, 74 things, 158 lines': graph(74, 158),
  'flowchart, 74 things, 158 lines with words': graph(74, 158, 'flowchart TD', (from, to) => `  A${from} -->|to ${to}| A${to}`),
  'flowchart, 140 things, 80 lines': graph(140, 80),
  'flowchart, 75 things in a row': `flowchart LR\n${many(75, at => `  A${at}[Thing number ${at}] --> A${at + 1}`)}`,
  'flowchart, words of 7,000 characters': `flowchart TD\n${many(19, at => `  A${at}[${'some words '.repeat(32)}] --> A${at + 1}`)}`,
  'states, 40 and 78': graph(40, 78, 'stateDiagram-v2', (from, to) => `  A${from} --> A${to}`),
  'classes, 40 and 68': graph(40, 68, 'classDiagram', (from, to) => `  A${from} --> A${to}`),
  'one class of 128 members': `classDiagram\n${many(128, at => `  A : int field${at}`)}`,
  'entities, 58 and 138': graph(58, 138, 'erDiagram', (from, to) => `  A${from} ||--o{ A${to} : has`),
  'one entity of 146 fields': `erDiagram\n  A {\n${many(146, at => `    int field${at}`)}\n  }`,
  'sequence, 118 messages': `sequenceDiagram\n${many(118, at => `  A${at % 20}->>A${(at * 7 + 3) % 20}: message ${at}`)}`,
  'plan, 118 tasks': `gantt\n  dateFormat YYYY-MM-DD\n${many(117, at => `  Task ${at} :t${at}, 2026-01-01, ${1 + (at % 30)}d`)}`,
  'mind map, 58 things': `mindmap\n  root\n${many(57, at => `    n${at}`)}`,
  'git, 118 commits': `gitGraph\n${many(118, () => '  commit')}`,
};

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of processor time of its thread, so that other work on the machine does not count. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

interface Shown {
  readonly longest: number;
  readonly problem: string;
}

/** The longest task of any page's main thread, in milliseconds. */
function longestTask(trace: Buffer): number {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const main = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = traceEvents.filter(({ name, pid, tid }) => name.endsWith('RunTask') && main.has(`${pid} ${tid}`));
  return tasks.reduce((longest, { tdur = 0 }) => Math.max(longest, tdur), 0) / 1_000;
}

async function show(page: Page, address: string): Promise<Shown> {
  await octavo.browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] });
  await page.goto(address, { waitUntil: 'commit' });
  await page.locator('html[data-diagrams="drawn"]').waitFor({ timeout: 60_000 });
  const longest = longestTask(await octavo.browser.stopTracing());
  return { longest, problem: await page.evaluate(() => document.querySelector('.diagram-problem')?.textContent ?? '') };
}

const octavo = await ServiceInBrowser.start();
const page = await octavo.browser.newPage();
for (const [name, source] of Object.entries(diagrams)) {
  const { slug } = await octavo.create({ pages: [{ markdown: `\`\`\`mermaid\n${source}\n\`\`\`\n` }] });
  const address = `${octavo.origin}/n/${slug}`;
  while (!(await (await fetch(address)).text()).includes('/diagrams-'));
  const shown: Shown[] = [];
  for (let round = 0; round < rounds; round += 1) shown.push(await show(page, address));
  const silences = shown.map(({ longest }) => Math.round(longest)).sort((a, b) => a - b);
  process.stdout.write(`${name.padEnd(44)} ${silences.join(', ').padStart(18)} ms  ${shown[0]!.problem}\n`);
}
await octavo.close();
