import { loadMathEngine } from './math/math-engine.ts';
import { type FaultListener, renderMarkdown, type TreeReaders } from './render.ts';
import type { Rendered, RenderOptions } from './rendered.ts';

/** Renders, and when the text turns out to need what is not loaded yet, loads it and renders again. */
export async function renderLoaded(
  markdown: string,
  options: RenderOptions & FaultListener & TreeReaders = {},
): Promise<Rendered> {
  const rendered = renderMarkdown(markdown, options);
  if (!rendered.mathMissing) return rendered;
  try {
    await loadMathEngine();
  } catch (error) {
    options.onFault?.(error);
    // Out of reach, as an export without network: formulas stay as they were written.
    const { mathMissing: _, ...shown } = rendered;
    return shown;
  }
  return renderMarkdown(markdown, options);
}
