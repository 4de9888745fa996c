import type { Root } from 'hast';
import { checkBounds, OverBound, renderBounds } from './bounds.ts';
import { defaultIdPrefix } from './default-id-prefix.ts';
import { toUnsafeDocument } from './engine.ts';
import { normalise } from './normalise.ts';
import { renderPlain } from './plain.ts';
import type { Heading, PlainReason, Rendered, RenderOptions } from './rendered.ts';
import { toSafeTree } from './safe-tree.ts';
import { settle } from './settle.ts';
import { toHtml } from './to-html.ts';

export interface FaultListener {
  /** Told of an error that no text should be able to cause. */
  readonly onFault?: (error: unknown) => void;
}

/** What else becomes of the safe tree. */
export interface TreeReaders {
  /** Reads what is told beside the HTML. */
  readonly read?: ((tree: Root) => Partial<Rendered>) | undefined;
  /** Writes it out as something else than HTML. */
  readonly write?: ((tree: Root, headings: readonly Heading[]) => Pick<Rendered, 'html' | 'headings'>) | undefined;
}

/**
 * Markdown to HTML that is safe to put into a page: the same code on the server and in the preview, without DOM or Node.
 * Formulas are drawn once their engine is loaded (render-loaded.ts). Synchronous, and for hostile texts slow; whoever must not wait uses a worker (renderer.ts, preview-worker.ts).
 */
export function renderMarkdown(markdown: string, options: RenderOptions & FaultListener & TreeReaders = {}): Rendered {
  try {
    return renderWithinBounds(normalise(markdown), options);
  } catch (error) {
    const reason = reasonOf(error);
    if (reason) return renderPlain(markdown, reason);
    // Whatever went wrong, the words are there to be read.
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
  // What markdown alone makes is well-formed; the fuzz test holds us to it.
  const html = document.sawHtml ? settle(made) : made;
  return { html, headings, ...facts };
}

/** A stack overflow is a text that nests deeper than the bounds foresaw. */
export function reasonOf(error: unknown): PlainReason | undefined {
  if (error instanceof OverBound) return error.reason;
  if (error instanceof RangeError) return 'nesting';
  return undefined;
}
