import { nextTurn } from '../event-loop-turns.ts';
import { defaultIdPrefix } from '../markdown/default-id-prefix.ts';
import { htmlPieces } from '../markdown/html-pieces.ts';
import { hasFileLinks, resolvePageLinks } from '../markdown/page-links.ts';
import type { Rendered } from '../markdown/rendered.ts';
import { type Notebook, type PageHead, pageTitle } from '../model/notebook.ts';
import { PageLinks } from '../model/page-address.ts';
import type { Needs } from './parts.ts';

/** The address of a page, or of a heading in it. The heading's name is without the renderer's prefix. */
export type AddressOf = (head: PageHead, heading: string | undefined) => string;

export type PagePaths = Awaited<ReturnType<Needs<'store'>['store']['listPagePaths']>>;

/** The fragment at the end of a view's address. */
export const fragmentOf = (heading: string | undefined): string => (heading === undefined ? '' : `#${defaultIdPrefix}${heading}`);

/**
 * Turns links from file to file into links from page to page. They are resolved each time a page is drawn, because other pages come and go
 * while a rendering is kept. The files' paths are read once, when the first page needs them.
 */
export class PageLinkResolver {
  readonly #parts: Needs<'store' | 'texts'>;
  readonly #notebook: Notebook;
  readonly #heads: readonly PageHead[];
  readonly #addressOf: AddressOf;
  readonly #paths: PagePaths | undefined;
  #links: Promise<PageLinks<PageHead>> | undefined;

  /**
   * @param heads of all pages of the notebook
   * @param paths of the same moment as the pages; absent: read when they are needed
   */
  constructor(
    parts: Needs<'store' | 'texts'>,
    notebook: Notebook,
    heads: readonly PageHead[],
    addressOf: AddressOf,
    paths?: PagePaths,
  ) {
    this.#parts = parts;
    this.#notebook = notebook;
    this.#heads = heads;
    this.#addressOf = addressOf;
    this.#paths = paths;
  }

  /** The rendered text of this page with its links resolved. A page shown plain shows its source text and has no links. */
  async resolve<Text extends Rendered>(head: Pick<PageHead, 'id' | 'revision'>, rendered: Text): Promise<Text> {
    if (rendered.plain || !hasFileLinks(rendered.html)) return rendered;
    this.#links ??= this.#readLinks();
    const links = await this.#links;
    const pieces: string[] = [];
    for (const piece of htmlPieces(rendered.html)) {
      if (pieces.length > 0) await nextTurn();
      pieces.push(this.#parts.texts.on(head, () => this.#resolvePiece(head.id, piece, links)));
    }
    return { ...rendered, html: pieces.join('') };
  }

  #resolvePiece(fromPageId: string, html: string, links: PageLinks<PageHead>): string {
    return resolvePageLinks(html, (link, heading) => {
      const target = links.find(fromPageId, link);
      return target && this.#addressOf(target, heading);
    });
  }

  async #readLinks(): Promise<PageLinks<PageHead>> {
    const paths = this.#paths ?? (await this.#parts.store.listPagePaths(this.#notebook.id));
    return new PageLinks(this.#heads, paths, pageTitle);
  }
}
