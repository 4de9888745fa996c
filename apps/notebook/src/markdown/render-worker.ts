import { parentPort, workerData } from 'node:worker_threads';
import { stepBack } from '../own-program.ts';
import { toBookText } from './book/book-text.ts';
import { readFacts } from './page-facts.ts';
import { renderLoaded } from './render-loaded.ts';
import type { Rendered, RenderOptions } from './rendered.ts';

export interface RenderRequest {
  readonly markdown: string;
  readonly options: RenderOptions;
}

export interface RenderWorkerData {
  readonly niceness: number;
}

/** `failed` is a fault of ours, never of the text's. */
export type RenderAnswer = ({ readonly rendered: Rendered } | { readonly failed: string }) & {
  /** Processor time of this thread since it started. */
  readonly usedMillis: number;
};

// Whoever answers requests comes first where processors are short. Elsewhere than on Linux it would be the whole process that steps back.
if (process.platform === 'linux') stepBack((workerData as RenderWorkerData).niceness);

function usedMillis(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** The kind and the place; a message might repeat words of the text, which no log may hold. */
function tell(error: unknown): void {
  const { name, stack = '' } = error instanceof Error ? error : new Error('not an error');
  const places = stack.split('\n').filter(line => line.trimStart().startsWith('at '));
  process.stderr.write(`page could not be rendered and is shown as plain text: ${name}\n${places.join('\n')}\n`);
}

/** Lists show fewer; a text may have a hundred thousand, and each costs whoever receives or keeps them. */
const mostHeadings = 5_000;

async function answer({ markdown, options }: RenderRequest): Promise<RenderAnswer> {
  try {
    const write = options.book ? toBookText : undefined;
    const rendered = await renderLoaded(markdown, { ...options, pageDirection: true, onFault: tell, write, read: readFacts });
    return { rendered: { ...rendered, headings: rendered.headings.slice(0, mostHeadings) }, usedMillis: usedMillis() };
  } catch (error) {
    return { failed: error instanceof Error ? (error.stack ?? error.message) : String(error), usedMillis: usedMillis() };
  }
}

parentPort?.on('message', async (request: RenderRequest) => parentPort?.postMessage(await answer(request)));
// Said once, when the program is loaded: only now does a text's time begin.
parentPort?.postMessage({ usedMillis: usedMillis() });
