import { parentPort } from 'node:worker_threads';
import { renderLoaded } from './render-loaded.ts';
import type { Rendered, RenderOptions } from './rendered.ts';

export interface RenderRequest {
  readonly markdown: string;
  readonly options: RenderOptions;
}

/** `failed` is a fault of ours, never of the text's. */
export type RenderAnswer = { readonly rendered: Rendered } | { readonly failed: string };

/** The kind and the place; a message might repeat words of the text, which no log may hold. */
function tell(error: unknown): void {
  const { name, stack = '' } = error instanceof Error ? error : new Error('not an error');
  const places = stack.split('\n').filter(line => line.trimStart().startsWith('at '));
  process.stderr.write(`a page could not be rendered and is shown as plain text: ${name}\n${places.join('\n')}\n`);
}

async function answer({ markdown, options }: RenderRequest): Promise<RenderAnswer> {
  try {
    return { rendered: await renderLoaded(markdown, { ...options, onFault: tell }) };
  } catch (error) {
    return { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

parentPort?.on('message', async (request: RenderRequest) => parentPort?.postMessage(await answer(request)));
// Said once, when the program is loaded: only now does a text's time begin.
parentPort?.postMessage('ready');
