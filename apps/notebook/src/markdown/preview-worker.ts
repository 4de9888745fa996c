import { LiveDocument, type LivePage } from './live/live-document.ts';
import { SlowText } from './live/slow-text.ts';
import { type Splice, splicesBetween } from './live/splices.ts';
import { loadMathEngine } from './math/math-engine.ts';
import type { PlainReason } from './rendered.ts';

/** A request from the editor to its preview worker: to render a page's new text, or to forget a page. */
export interface PreviewRequest {
  readonly id: number;
  readonly page: string;
  /** Absent to forget the page. */
  readonly markdown?: string;
  /** Whether blocks are marked with their source lines. On by default. */
  readonly sourceLines?: boolean;
}

/** Asks only to load the formula engine. */
export type FormulasRequest = 'fetch formulas';

/** `ready` is the first message, sent when the worker is loaded. The others tell whether the formula engine could be loaded. */
export type PreviewNews = 'ready' | 'formulas' | 'no formulas';

/** The changes to make to the page since the last answer. */
export interface PreviewAnswer {
  readonly id: number;
  /** True if the page is new to this worker, so whatever was shown must be removed. */
  readonly fresh: boolean;
  readonly splices: readonly Splice[];
  /** The source line of each part. */
  readonly lines: Uint32Array<ArrayBuffer>;
  readonly plain?: PlainReason;
  /** True if rendering took longer than the server allows for a text. */
  readonly slow: boolean;
  /** How many blocks were rendered. */
  readonly made: number;
  /** True if the splices insert something to be drawn as a diagram. */
  readonly diagrams: boolean;
  /** True if formulas are shown as written. Once the engine has loaded, the message `formulas` follows. */
  readonly formulasMissing: boolean;
}

interface Open {
  readonly live: LiveDocument;
  shown: readonly string[];
  readonly slow: SlowText;
}

/** A page takes several times its length in memory. Going back to a forgotten one renders it completely once. */
const mostPages = 4;
const pages = new Map<string, Open>();

function open(page: string, sourceLines: boolean): { known: Open; fresh: boolean } {
  const found = pages.get(page);
  const known = found ?? { live: new LiveDocument({ sourceLines }), shown: [], slow: new SlowText() };
  // The most recent page is last in the map.
  pages.delete(page);
  pages.set(page, known);
  if (pages.size > mostPages) pages.delete(pages.keys().next().value!);
  return { known, fresh: found === undefined };
}

let isLoading = false;

/** No text waits for the engine, which may be unreachable or slow. After a failure the next text tries again, but not in all browsers. */
async function loadFormulas(): Promise<void> {
  if (isLoading) return;
  isLoading = true;
  const news = await loadMathEngine().then(
    () => 'formulas' as const,
    () => 'no formulas' as const,
  );
  isLoading = false;
  postNews(news);
}

function postNews(news: PreviewNews): void {
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
  // Checks all inserted parts, not only newly rendered blocks: an unchanged block is inserted again if a note in it has another number.
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

postNews('ready');
