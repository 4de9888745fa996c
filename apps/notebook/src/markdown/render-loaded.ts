import { loadMathEngine } from './math/math-engine.ts';
import { type FaultListener, renderMarkdown, type TreeReaders } from './render.ts';
import type { Rendered, RenderOptions } from './rendered.ts';

/** Renders a text. If it needs the formula engine, which is not loaded yet, it loads that and renders again. */
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
    // The engine cannot be reached, as in an export without a network: formulas stay as written.
    const { mathMissing: _, ...shown } = rendered;
    return shown;
  }
  return renderMarkdown(markdown, options);
}
