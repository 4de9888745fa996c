import { parentPort } from 'node:worker_threads';
import { renderMarkdown } from './render.ts';
import type { Rendered, RenderOptions } from './rendered.ts';

export interface RenderRequest {
  readonly markdown: string;
  readonly options: RenderOptions;
}

/** `failed` is a fault of ours, never of the text's. */
export type RenderAnswer = { readonly rendered: Rendered } | { readonly failed: string };

function answer({ markdown, options }: RenderRequest): RenderAnswer {
  try {
    return { rendered: renderMarkdown(markdown, options) };
  } catch (error) {
    return { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

parentPort?.on('message', (request: RenderRequest) => parentPort?.postMessage(answer(request)));
// Said once, when the program is loaded: only now does a text's time begin.
parentPort?.postMessage('ready');
