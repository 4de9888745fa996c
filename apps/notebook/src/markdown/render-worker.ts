import { parentPort, workerData } from 'node:worker_threads';
import { lowerPriority } from '../own-program.ts';
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

/** `failed` is an error of ours, never caused by the text. */
export type RenderAnswer = ({ readonly rendered: Rendered } | { readonly failed: string }) & {
  /** This thread's processor time since it started. */
  readonly usedMillis: number;
};

// Threads that answer requests come first when processors are short. On systems other than Linux this would slow down the whole process.
if (process.platform === 'linux') lowerPriority((workerData as RenderWorkerData).niceness);

function usedMillis(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Logs the kind and the place. A message might repeat words of the text, which must not be logged. */
function logFault(error: unknown): void {
  const { name, stack = '' } = error instanceof Error ? error : new Error('not an error');
  const places = stack.split('\n').filter(line => line.trimStart().startsWith('at '));
  process.stderr.write(`page could not be rendered and is shown as plain text: ${name}\n${places.join('\n')}\n`);
}

/** Lists show fewer. A text may have a hundred thousand headings, and each costs when it is sent and stored. */
const mostHeadings = 5_000;

async function answer({ markdown, options }: RenderRequest): Promise<RenderAnswer> {
  try {
    const write = options.book ? toBookText : undefined;
    const rendered = await renderLoaded(markdown, { ...options, pageDirection: true, onFault: logFault, write, read: readFacts });
    return { rendered: { ...rendered, headings: rendered.headings.slice(0, mostHeadings) }, usedMillis: usedMillis() };
  } catch (error) {
    return { failed: error instanceof Error ? (error.stack ?? error.message) : String(error), usedMillis: usedMillis() };
  }
}

parentPort?.on('message', async (request: RenderRequest) => parentPort?.postMessage(await answer(request)));
// Sent once when the program is loaded, because only then a text's time begins.
parentPort?.postMessage({ usedMillis: usedMillis() });
