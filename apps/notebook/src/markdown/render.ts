import type { Root } from 'hast';
import { checkBounds, OverBound, renderBounds } from './bounds.ts';
import { defaultIdPrefix } from './default-id-prefix.ts';
import { toUnsafeDocument } from './engine.ts';
import { normalize } from './normalize.ts';
import { renderPlain } from './plain.ts';
import type { Heading, PlainReason, Rendered, RenderOptions } from './rendered.ts';
import { toSafeTree } from './safe-tree.ts';
import { settleTree } from './settle.ts';
import { toHtml } from './to-html.ts';

export interface FaultListener {
  /** Called with an error that no text should be able to cause. */
  readonly onFault?: (error: unknown) => void;
}

/** Other uses of the safe tree. */
export interface TreeReaders {
  /** Reads facts that are returned besides the HTML. */
  readonly read?: ((tree: Root) => Partial<Rendered>) | undefined;
  /** Writes the tree in another format than HTML. */
  readonly write?: ((tree: Root, headings: readonly Heading[]) => Pick<Rendered, 'html' | 'headings'>) | undefined;
}

/**
 * Renders Markdown to HTML that is safe to put into a page. The same code runs on the server and in the preview, without DOM or Node.
 * Formulas are drawn once their engine is loaded (render-loaded.ts). It is synchronous, and slow for hostile texts; callers that must not
 * wait use a worker (renderer.ts, preview-worker.ts).
 */
export function renderMarkdown(markdown: string, options: RenderOptions & FaultListener & TreeReaders = {}): Rendered {
  try {
    return renderWithinBounds(normalize(markdown), options);
  } catch (error) {
    const reason = reasonOf(error);
    if (reason) return renderPlain(markdown, reason);
    // Whatever went wrong, the text can still be read.
    options.onFault?.(error);
    return renderPlain(markdown, 'fault');
  }
}

function renderWithinBounds(source: string, options: RenderOptions & TreeReaders): Rendered {
  const over = checkBounds(source);
  if (over) throw new OverBound(over);
  const document = toUnsafeDocument(source, options.sourceLines ?? false);
  const { tree, headings, direction, mathMissing, diagrams } = toSafeTree(
    document,
    options.idPrefix ?? defaultIdPrefix,
    options.pageDirection,
  );
  const facts = {
    ...(mathMissing ? { mathMissing: true as const } : {}),
    ...(direction === 'rtl' ? { direction } : {}),
    ...(diagrams ? { diagrams } : {}),
    ...options.read?.(tree),
  };
  if (options.write) {
    const written = options.write(tree, headings);
    if (written.html.length > renderBounds.outputChars) throw new OverBound('output');
    return { ...written, ...facts };
  }
  const made = toHtml(tree);
  if (made.length > renderBounds.outputChars) throw new OverBound('output');
  // HTML made only from Markdown is well-formed, which a fuzz test checks.
  const html = document.sawHtml ? settleTree(tree, made) : made;
  return { html, headings, ...facts };
}

/** A stack overflow means that the text nests deeper than the limits foresaw. */
export function reasonOf(error: unknown): PlainReason | undefined {
  if (error instanceof OverBound) return error.reason;
  if (error instanceof RangeError) return 'nesting';
  return undefined;
}
