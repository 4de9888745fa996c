import { nextTurn } from '../event-loop-turns.ts';
import { limits } from '../limits.ts';
import { plainPieces, plainWithoutText } from '../markdown/plain.ts';
import { plainFacts } from '../markdown/plain-facts.ts';
import type { PageFacts, PlainReason, Rendered, RenderOptions, RenderTurn } from '../markdown/rendered.ts';
import type { Page } from '../model/notebook.ts';
import { withoutDirectionControls } from '../model/title.ts';
import { packRendering, unpackRendering } from './kept-rendering.ts';
import type { Needs } from './parts.ts';
import { sizeImages } from './size-images.ts';

/** `print` keeps the ids of pages in one document apart; `book` is XHTML for the files of an EPUB. */
export type RenderingVariant = 'view' | 'print' | 'book';

type PageKey = Pick<Page, 'id' | 'revision'>;

/** A page's text as it is shown. */
export interface ShownText extends Rendered {
  readonly facts: PageFacts;
}

/** A page's current state. */
export interface PageShowing {
  readonly rendered: ShownText;
  /** The text is shown plain for now: settles when the rendering is ready or has failed. */
  readonly later?: Promise<unknown>;
}

interface Work {
  readonly rendered: Promise<Rendered>;
  readonly turn: RenderTurn;
}

/** Renderings under way, at most one for the same text, however many callers ask. */
const underWay = new WeakMap<object, Map<string, Work>>();

function waiting(parts: Needs<'objects' | 'renderer'>): Map<string, Work> {
  let map = underWay.get(parts.renderer);
  if (!map) {
    map = new Map();
    underWay.set(parts.renderer, map);
  }
  return map;
}

/**
 * Time and memory limits are measured so that only the text counts; a rendering that ended with `busy` or a fault of ours is tried again.
 */
export function isLasting({ plain }: Pick<Rendered, 'plain'>): boolean {
  return plain !== 'fault' && plain !== 'busy';
}

const otherVariant = { view: 'print', print: 'view', book: 'view' } as const;

const optionsOf = (variant: RenderingVariant, pageId: string): RenderOptions => {
  if (variant === 'print') return { idPrefix: `user-content-${pageId}-` };
  return variant === 'book' ? { book: true } : {};
};

async function findKept(
  parts: Needs<'store' | 'objects' | 'renderer'>,
  { id, revision }: PageKey,
  variant: RenderingVariant,
): Promise<Rendered | undefined> {
  const find = async (of: RenderingVariant) => {
    const kept = await parts.store.findRendering(id, { revision, variant: of, engine: parts.renderer.engine });
    // A rendering that can no longer be read is made again and overwritten.
    return kept && unpackRendering(kept).catch(() => undefined);
  };
  const kept = await find(variant);
  if (kept) return kept;
  // A text that was too slow or too large in one variant is so in the other: nobody pays for it twice.
  const other = await find(otherVariant[variant]);
  return other?.plain && other;
}

async function renderAndKeep(
  parts: Needs<'store' | 'objects' | 'renderer' | 'texts'>,
  page: Page,
  variant: RenderingVariant,
  turn: RenderTurn,
): Promise<Rendered> {
  const { engine } = parts.renderer;
  const made = await parts.texts.on(page, () => parts.renderer.render(page.markdown, optionsOf(variant, page.id), turn));
  const rendered = variant === 'book' ? made : await parts.texts.on(page, () => sizeImages(parts, page.notebookId, made));
  // For a plain page only the reason is kept; the text is in the page itself.
  const kept = rendered.plain ? plainWithoutText(rendered.plain) : rendered;
  if (isLasting(rendered))
    await parts.store.keepRendering(page.id, { revision: page.revision, variant, engine }, await packRendering(kept));
  return rendered;
}

function workOn(
  parts: Needs<'store' | 'objects' | 'renderer' | 'texts'>,
  page: Page,
  variant: RenderingVariant,
  turn: RenderTurn,
): Work {
  const map = waiting(parts);
  const key = `${variant} ${page.id} ${page.revision}`;
  const already = map.get(key);
  if (already) return already;
  const rendered = findKept(parts, page, variant)
    .then(kept => kept ?? renderAndKeep(parts, page, variant, turn))
    .finally(() => map.delete(key));
  const work = { rendered, turn };
  map.set(key, work);
  return work;
}

function turnFor(page: Page, variant: RenderingVariant, client: string | undefined, background: boolean): RenderTurn {
  const payers = [`notebook ${page.notebookId}`, ...(client === undefined ? [] : [`address ${client}`])];
  return { payers, background, name: `${variant} ${page.id}` };
}

/** Time in the queue, and total time, on a machine that gives the threads little. */
const timeouts: Record<RenderingVariant, { readonly lineMillis: number; readonly allMillis: number }> = {
  view: { lineMillis: limits.maxRenderWaitSeconds * 1_000, allMillis: limits.maxViewWaitSeconds * 1_000 },
  print: { lineMillis: limits.maxPrintWaitSeconds * 1_000, allMillis: limits.maxPrintWaitSeconds * 1_000 },
  book: { lineMillis: limits.maxPrintWaitSeconds * 1_000, allMillis: limits.maxPrintWaitSeconds * 1_000 },
};

const lookMillis = 50;

/** A reader waits a while in the queue, and then as long as the thread that works on the page has not used up its second. */
function mayWaitFor(work: Work, variant: RenderingVariant, waitedMillis: number): boolean {
  const { lineMillis, allMillis } = timeouts[variant];
  if (waitedMillis >= allMillis) return false;
  if (variant === 'view' && work.turn.late) return false;
  return work.turn.running || waitedMillis < lineMillis;
}

async function renderedInTime(work: Work, variant: RenderingVariant, maxMillis: number): Promise<Rendered | undefined> {
  const started = performance.now();
  let looking: NodeJS.Timeout | undefined;
  const timedOut = new Promise<undefined>(resolve => {
    looking = setInterval(() => {
      const waitedMillis = performance.now() - started;
      if (waitedMillis >= maxMillis || !mayWaitFor(work, variant, waitedMillis)) resolve(undefined);
    }, lookMillis);
  });
  try {
    return await Promise.race([work.rendered, timedOut]);
  } finally {
    clearInterval(looking);
  }
}

/** For a longer text that is shown plain, each piece gets its own turn of the event loop. */
const longChars = 65_536;

/** The plain HTML of a page whose rendering was kept or made without it. */
async function writePlain({ texts }: Needs<'texts'>, page: Page): Promise<string> {
  const pieces = plainPieces(page.markdown);
  let html = '';
  for (;;) {
    if (page.markdown.length > longChars) await nextTurn();
    const piece = texts.on(page, () => pieces.next());
    if (piece.done) return html;
    html += piece.value;
  }
}

/** The description is shown in cards on other sites, without an end for what it turns around. */
function outsideItsText(facts: PageFacts): PageFacts {
  return { ...facts, description: withoutDirectionControls(facts.description) };
}

async function showText(parts: Needs<'texts'>, page: Page, rendered: Rendered): Promise<ShownText> {
  const { facts = parts.texts.on(page, () => plainFacts(page.markdown)) } = rendered;
  const html = rendered.plain && !rendered.html ? await writePlain(parts, page) : rendered.html;
  return { ...rendered, html, facts: outsideItsText(facts) };
}

/**
 * The safe HTML of a page: kept for this revision, or made now and kept. A page that has others ahead of it is shown plain for now.
 * @param maxMillis a shorter timeout than the variant's own
 */
export async function renderPage(
  parts: Needs<'store' | 'objects' | 'renderer' | 'texts'>,
  page: Page,
  variant: RenderingVariant,
  client: string | undefined,
  maxMillis = Number.POSITIVE_INFINITY,
): Promise<PageShowing> {
  const shown = (rendered: Rendered) => showText(parts, page, rendered);
  const plain = (reason: PlainReason) => shown(plainWithoutText(reason));
  if (parts.texts.isUnsafe(page)) return { rendered: await plain('time') };
  const turn = turnFor(page, variant, client, false);
  const work = workOn(parts, page, variant, turn);
  // A reader waits for it now, so it no longer runs in the background, and the reader is charged instead of the writer.
  if (work.turn.background) Object.assign(work.turn, { payers: turn.payers, background: false });
  const rendered = await renderedInTime(work, variant, maxMillis);
  if (rendered) return { rendered: await shown(rendered) };
  return { rendered: await plain('busy'), later: work.rendered.catch(() => {}) };
}

/**
 * Renders and keeps a page that nobody is waiting for.
 * @returns whether the rendering is kept; a full queue drops it
 */
export async function renderInAdvance(
  parts: Needs<'store' | 'objects' | 'renderer' | 'texts'>,
  page: Page,
  client: string | undefined,
): Promise<boolean> {
  if (parts.texts.isUnsafe(page)) return false;
  return isLasting(await workOn(parts, page, 'view', turnFor(page, 'view', client, true)).rendered);
}

/**
 * The same for a reader who has only the page's head: the text is read only when no rendering was kept.
 * @param from where the text is read
 */
export async function renderPageByHead(
  parts: Needs<'store' | 'objects' | 'renderer' | 'texts'>,
  notebookId: string,
  head: PageKey,
  variant: RenderingVariant,
  client: string | undefined,
  maxMillis?: number,
  from: Pick<Needs<'store'>['store'], 'findPage'> = parts.store,
): Promise<PageShowing | undefined> {
  const kept = parts.texts.isUnsafe(head) ? undefined : await findKept(parts, head, variant);
  if (kept?.facts) return { rendered: { ...kept, facts: outsideItsText(kept.facts) } };
  const page = await from.findPage(notebookId, head.id);
  return page && renderPage(parts, page, variant, client, maxMillis);
}
