import { Diagram } from './diagram.ts';
import { DrawingFrame } from './drawing-frame.ts';
import { onSchemeChange, pageScheme } from './page-scheme.ts';

const frame = new DrawingFrame();
/** Diagrams by source, so that a text rendered again at each key keeps its pictures. */
const diagrams = new Map<string, Diagram>();
const mostKept = 60;

function diagramOf(source: string): Diagram {
  const diagram = diagrams.get(source) ?? new Diagram(source, frame, againAll);
  diagrams.delete(source);
  diagrams.set(source, diagram);
  for (const [oldest, { isShown }] of diagrams) {
    if (diagrams.size <= mostKept) break;
    if (!isShown && oldest !== source) diagrams.delete(oldest);
  }
  return diagram;
}

function againAll(): void {
  for (const diagram of diagrams.values()) diagram.again();
}

function sendScheme(): void {
  document.documentElement.dataset.scheme = pageScheme();
}

let following = false;

/** Draws visible diagrams in the new scheme when the reader changes it, and those whose engine did not load when the line is back. */
function followChanges(): void {
  if (following) return;
  following = true;
  sendScheme();
  addEventListener('online', againAll);
  onSchemeChange(() => {
    sendScheme();
    for (const diagram of diagrams.values()) if (diagram.isShown) void diagram.complete();
  });
}

/**
 * Replaces every `mermaid` code block in `root` by its drawing, at once if that is already known.
 * @returns a promise that resolves when each is drawn or has failed
 */
export async function showDiagrams(root: ParentNode): Promise<void> {
  followChanges();
  const codes = [...root.querySelectorAll<HTMLElement>('pre > code.language-mermaid')];
  await Promise.all(codes.map(code => diagramOf(code.textContent).replace(code.parentElement!)));
}
