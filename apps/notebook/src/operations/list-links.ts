import type { ListedNotebook, ListPlace } from '../store/store.ts';
import { placeOf, walkListed } from './list-notebooks.ts';
import type { Needs } from './parts.ts';

export interface PageLink {
  readonly slug: string;
  readonly pageId: string;
  readonly position: number;
  readonly updatedAt: number;
}

/** The starting point of one sitemap file. */
export interface SitemapFile {
  readonly after: ListPlace | undefined;
  /** The time of its newest link; undefined when it has no links. */
  readonly updatedAt: number | undefined;
}

/** Cuts the list of links into files of at most `linksPerFile`, never within a notebook. Keeps only positions, no names. */
export async function planSitemap(parts: Needs<'store' | 'now'>, linksPerFile: number): Promise<SitemapFile[]> {
  const files: SitemapFile[] = [];
  let file: SitemapFile = { after: undefined, updatedAt: undefined };
  let links = 0;
  let last: ListPlace | undefined;
  for await (const { notebook, pages } of walkListed(parts, 'oldest')) {
    if (links > 0 && links + pages.length > linksPerFile) {
      files.push(file);
      file = { after: last, updatedAt: undefined };
      links = 0;
    }
    links += pages.length;
    last = placeOf(notebook);
    file = { after: file.after, updatedAt: notebook.updatedAt };
  }
  return [...files, file];
}

/** The links of one file, as they are now. */
export async function* listLinks(
  parts: Needs<'store' | 'now'>,
  file: SitemapFile,
  next: SitemapFile | undefined,
  linksPerFile: number,
): AsyncGenerator<PageLink> {
  let links = 0;
  for await (const listed of walkListed(parts, 'oldest', file.after)) {
    links += listed.pages.length;
    if (links > linksPerFile || (next?.after && isBeyond(listed.notebook, next.after))) return;
    yield* linksOf(listed);
  }
}

function isBeyond(place: ListPlace, end: ListPlace): boolean {
  return place.updatedAt > end.updatedAt || (place.updatedAt === end.updatedAt && place.id > end.id);
}

function linksOf({ notebook, pages }: ListedNotebook): PageLink[] {
  return pages.map(({ id, position, updatedAt }) => ({ slug: notebook.slug, pageId: id, position, updatedAt }));
}
