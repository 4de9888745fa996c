import { LiveDocument, type LivePage } from './live/live-document.ts';
import { SlowText } from './live/slow-text.ts';
import { type Splice, splicesBetween } from './live/splices.ts';
import { loadMathEngine } from './math/math-engine.ts';
import type { PlainReason } from './rendered.ts';

/** What the editor asks its preview worker: a page's new text, or to forget a page. */
export interface PreviewRequest {
  readonly id: number;
  readonly page: string;
  /** Absent when the page is done with. */
  readonly markdown?: string;
  /** Whether blocks are marked with their source lines. Default on. */
  readonly sourceLines?: boolean;
}

/** Asks for nothing but the engine of formulas. */
export type FormulasRequest = 'fetch formulas';

/** The worker is loaded, which is its first message; it has the engine of formulas; it could not fetch it. */
export type PreviewNews = 'ready' | 'formulas' | 'no formulas';

/** What is to be done to the page as it was last answered. */
export interface PreviewAnswer {
  readonly id: number;
  /** The page is new to this worker: whatever was shown goes. */
  readonly fresh: boolean;
  readonly splices: readonly Splice[];
  /** The source line of each part. */
  readonly lines: Uint32Array<ArrayBuffer>;
  readonly plain?: PlainReason;
  /** It took longer here than the server works on a text. */
  readonly slow: boolean;
  /** How many blocks were made anew. */
  readonly made: number;
  /** Something that the splices put in is to be drawn as a diagram. */
  readonly diagrams: boolean;
  /** Formulas are shown as they were written. Once the engine has come, `formulas` is told. */
  readonly formulasMissing: boolean;
}

interface Open {
  readonly live: LiveDocument;
  shown: readonly string[];
  readonly slow: SlowText;
}

/** A page takes some times its length of memory; going back to an older one renders it whole once. */
const mostPages = 4;
const pages = new Map<string, Open>();

function open(page: string, sourceLines: boolean): { known: Open; fresh: boolean } {
  const found = pages.get(page);
  const known = found ?? { live: new LiveDocument({ sourceLines }), shown: [], slow: new SlowText() };
  // The latest is last.
  pages.delete(page);
  pages.set(page, known);
  if (pages.size > mostPages) pages.delete(pages.keys().next().value!);
  return { known, fresh: found === undefined };
}

let isLoading = false;

/** No text waits for it: it may be out of reach, or take minutes. After a failure the next text tries again, which not all browsers do. */
async function loadFormulas(): Promise<void> {
  if (isLoading) return;
  isLoading = true;
  const news = await loadMathEngine().then(
    () => 'formulas' as const,
    () => 'no formulas' as const,
  );
  isLoading = false;
  tell(news);
}

function tell(news: PreviewNews): void {
  self.postMessage(news);
}

function timed(live: LiveDocument, markdown: string): { page: LivePage; millis: number } {
  const started = performance.now();
  return { page: live.render(markdown), millis: performance.now() - started };
}

function answer({ id, page, markdown = '', sourceLines = true }: PreviewRequest): void {
  const { known, fresh } = open(page, sourceLines);
  const { page: rendered, millis } = timed(known.live, markdown);
  const { parts, plain, made, mathMissing: formulasMissing = false } = rendered;
  if (formulasMissing) void loadFormulas();
  const now = parts.map(part => part.html);
  const lines = Uint32Array.from(parts, part => part.line);
  const splices = splicesBetween(known.shown, now);
  known.shown = now;
  // Not only of blocks that were made anew: one that stayed is put in again where a note in it has another number.
  const diagrams = splices.some(({ insert }) => insert.some(html => html.includes('class="language-mermaid"')));
  const slow = known.slow.note(millis, markdown.length);
  const told: PreviewAnswer = { id, fresh, splices, lines, made, slow, diagrams, formulasMissing, ...(plain ? { plain } : {}) };
  self.postMessage(told, { transfer: [lines.buffer] });
}

self.addEventListener('message', ({ data }: MessageEvent<PreviewRequest | FormulasRequest>) => {
  if (data === 'fetch formulas') void loadFormulas();
  else if (data.markdown === undefined) pages.delete(data.page);
  else answer(data);
});

tell('ready');
