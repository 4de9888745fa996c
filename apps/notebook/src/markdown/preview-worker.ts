import { renderLoaded } from './render-loaded.ts';
import type { Rendered, RenderOptions } from './rendered.ts';

/** What the editor asks its preview worker, and what it answers. */
export interface PreviewRequest {
  readonly id: number;
  readonly markdown: string;
  readonly options?: RenderOptions;
}

export interface PreviewAnswer {
  readonly id: number;
  readonly rendered: Rendered;
}

self.addEventListener('message', async (event: MessageEvent<PreviewRequest>) => {
  const { id, markdown, options } = event.data;
  const answer: PreviewAnswer = { id, rendered: await renderLoaded(markdown, options) };
  self.postMessage(answer);
});
