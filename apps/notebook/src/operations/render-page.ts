import type { Rendered } from '../markdown/rendered.ts';
import type { Page } from '../model/notebook.ts';
import type { Parts } from './parts.ts';

/** `print` keeps the ids of pages apart that stand in one document. */
export type RenderingVariant = 'view' | 'print';

type PageKey = Pick<Page, 'id' | 'revision'>;

/** One rendering at a time for the same text, however many ask. */
const underWay = new WeakMap<object, Map<string, Promise<Rendered>>>();

function waiting(parts: Parts): Map<string, Promise<Rendered>> {
  let map = underWay.get(parts.renderer);
  if (!map) {
    map = new Map();
    underWay.set(parts.renderer, map);
  }
  return map;
}

async function findKept(parts: Parts, page: PageKey, variant: RenderingVariant): Promise<Rendered | undefined> {
  const kept = await parts.store.findRendering(page.id, { revision: page.revision, variant, engine: parts.renderer.engine });
  return kept === undefined ? undefined : (JSON.parse(kept) as Rendered);
}

/** Time and memory depend on the moment, and a fault of ours on the release: such an answer is shown, but tried again later. */
export function isLasting({ plain }: Rendered): boolean {
  return plain !== 'time' && plain !== 'memory' && plain !== 'fault';
}

async function renderAndKeep(parts: Parts, page: Page, variant: RenderingVariant): Promise<Rendered> {
  const { engine } = parts.renderer;
  const rendered = await parts.renderer.render(
    page.markdown,
    variant === 'print' ? { idPrefix: `user-content-${page.id}-` } : {},
  );
  if (isLasting(rendered))
    await parts.store.keepRendering(page.id, { revision: page.revision, variant, engine }, JSON.stringify(rendered));
  return rendered;
}

/** The safe HTML of a page: what was kept for this revision, or made now and kept. */
export async function renderPage(parts: Parts, page: Page, variant: RenderingVariant): Promise<Rendered> {
  const map = waiting(parts);
  const key = `${variant} ${page.id} ${page.revision}`;
  const already = map.get(key);
  if (already) return already;
  const work = findKept(parts, page, variant).then(kept => kept ?? renderAndKeep(parts, page, variant));
  map.set(key, work);
  try {
    return await work;
  } finally {
    map.delete(key);
  }
}

/** The same for a reader who has only the page's head: the text is read only when nothing was kept. */
export async function renderPageByHead(
  parts: Parts,
  notebookId: string,
  head: PageKey,
  variant: RenderingVariant,
): Promise<Rendered | undefined> {
  const kept = await findKept(parts, head, variant);
  if (kept) return kept;
  const page = await parts.store.findPage(notebookId, head.id);
  return page && renderPage(parts, page, variant);
}
