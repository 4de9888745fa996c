import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { nextTurn } from '../event-loop-turns.ts';
import { dataPolicy } from '../http/answers/security-headers.ts';
import { type ZipFile, zipStream } from '../http/answers/zip-stream.ts';
import { limits } from '../limits.ts';
import { fileNameOf } from '../model/file-name.ts';
import { contentTypeOf, type Image } from '../model/image.ts';
import { isShared } from '../model/listed.ts';
import type { Notebook, PageHead, ShownTitle } from '../model/notebook.ts';
import { untitledPage } from '../model/page-name.ts';
import { untitledNotebook } from '../model/title.ts';
import type { PageSource } from '../operations/copy-notebook.ts';
import { OwnImages, readImage } from '../operations/own-images.ts';
import { readTitle } from '../operations/page-titles.ts';
import type { Parts } from '../operations/parts.ts';
import { isLasting, type PageShowing, renderPageByHead } from '../operations/render-page.ts';
import { type AddressOf, fragmentOf, PageLinkResolver, type PagePaths } from '../operations/resolve-page-links.ts';
import { urls } from '../urls.ts';
import {
  type BookFacts,
  type BookImage,
  type BookPage,
  bookStyle,
  container,
  epubMediaType,
  listedHeadings,
  navigation,
  ncxNavigation,
  noImage,
  packageFile,
  packageFolder,
  pageFile,
  titlePage,
} from '../views/epub.ts';
import { BookHeadings } from '../views/epub-headings.ts';
import { type BookAddresses, imagesOf, piecesOf, resolveBookLinks } from '../views/epub-links.ts';
import { bookNotice } from '../views/page-body.tsx';
import { titleInXml, withoutNonXml } from '../views/xml.ts';
import { BookTags } from './book-tags.ts';
import { clientOf, etagMatches, type RouteContext, versionEtag } from './context.ts';
import { headOf, type VisibleNotebook } from './draw-view.ts';
import { copyForAnswer, sendLargeBytes } from './large-reads.ts';

const tags = new BookTags();

/**
 * The notebook as an EPUB 3, written while it is sent: one page or image at a time is in memory. The package file comes last in
 * the archive, so each page is made once.
 * @param requireStillOpen throws when this reader may no longer see the notebook; called when a page was read, before it is sent
 */
export async function sendEpub(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  seen: VisibleNotebook,
  requireStillOpen: () => Promise<VisibleNotebook>,
): Promise<FastifyReply> {
  const { parts } = context;
  const listImages = async (id: string) => (parts.objects ? parts.store.listImages(id) : []);
  const tagOf = (notebook: Notebook, images: readonly Image[]) =>
    tags.tagOf([versionEtag('book', notebook, context.build), images.map(({ key }) => key)]);
  const known = tagOf(seen.notebook, await listImages(seen.notebook.id));
  if (known.isWhole && etagMatches(request.headers['if-none-match'], known.etag))
    return reply.code(304).header('etag', known.etag).send();
  const copied = await copyForAnswer(parts, reply, seen, requireStillOpen, {
    readAlso: async id => ({ images: await listImages(id), paths: await parts.store.listPagePaths(id) }),
  });
  const { notebook, heads, also, store: pages } = copied;
  const { images, paths } = also;
  const tag = tagOf(notebook, images);
  reply.header('etag', tag.etag);
  const ended = new AbortController();
  const book = new Book(context, {
    notebook,
    heads,
    images,
    paths,
    pages,
    client: clientOf(request),
    requireStillOpen,
    signal: ended.signal,
    onEnd: tag.note,
  });
  reply.raw.once('close', () => ended.abort());
  reply.headers({
    'content-type': epubMediaType,
    'content-security-policy': dataPolicy,
    'content-disposition': asFile(notebook),
  });
  return sendLargeBytes(reply, clientOf(request), zipStream(book.files(), notebook.updatedAt));
}

/** Named by its title (RFC 6266 §4.3); programs that read only ASCII get the slug. Neither has a character that a header could not carry. */
function asFile({ title, slug }: Notebook): string {
  const name = fileNameOf(title === untitledNotebook ? '' : title, 'epub', slug);
  return `attachment; filename="${slug}.epub"; filename*=UTF-8''${encodeURIComponent(name)}`;
}

interface Source {
  readonly notebook: Notebook;
  readonly heads: readonly PageHead[];
  readonly images: readonly Image[];
  readonly paths: PagePaths;
  readonly pages: PageSource;
  readonly client: string;
  readonly requireStillOpen: () => Promise<unknown>;
  /** Called at the end with whether the book is complete. */
  readonly onEnd: (complete: boolean) => void;
  /** Aborted when the reader is gone. */
  readonly signal: AbortSignal;
}

class Book implements BookAddresses {
  readonly base: string;
  readonly #parts: Parts;
  readonly #source: Source;
  readonly #facts: BookFacts;
  readonly #deadline = performance.now() + limits.maxPrintWaitSeconds * 1_000;
  readonly #files: ReadonlyMap<string, string>;
  readonly #ownImages: OwnImages;
  /** By the image's key. */
  readonly #taken = new Map<string, BookImage | undefined>();
  readonly #linkResolver: PageLinkResolver;
  /** Pages whose headings the current page links to. */
  readonly #linked = new Set<PageHead>();
  readonly #headings = new BookHeadings();
  #complete = true;

  constructor({ parts, site }: RouteContext, source: Source) {
    const { notebook, heads, images } = source;
    const { slug } = notebook;
    const head = headOf(notebook, heads.length);
    this.base = site.publicUrl + urls.view(slug);
    this.#parts = parts;
    this.#source = source;
    this.#facts = {
      notebook: { ...head, title: titleInXml(head.title) || untitledNotebook },
      identifier: `urn:uuid:${uuidOf(notebook.id)}`,
      source: isShared(notebook) ? this.base : undefined,
    };
    const paths = new URL(site.publicUrl).pathname.replace(/\/$/, '');
    const files = heads.map(({ id }, at): [string, string] => [paths + urls.viewPage(slug, id), `page-${at + 1}.xhtml`]);
    this.#files = new Map([[paths + urls.view(slug), 'page-1.xhtml'], ...files]);
    this.#ownImages = new OwnImages(parts.objects, images);
    const addressOf: AddressOf = (head, heading) => {
      if (heading !== undefined) this.#linked.add(head);
      return site.publicUrl + urls.viewPage(slug, head.id) + fragmentOf(heading);
    };
    this.#linkResolver = new PageLinkResolver(parts, notebook, heads, addressOf, source.paths);
  }

  findPage(address: string): string | undefined {
    const [path, fragment] = address.split('#', 2) as [string, string?];
    const file = this.#files.get(path);
    if (file === undefined || fragment === undefined) return file;
    const id = this.#headings.find(file, fragment);
    return id === undefined ? file : `${file}#${id}`;
  }

  findImage(url: string): string | undefined {
    const image = this.#ownImages.find(url);
    return image && this.#taken.get(image.key)?.file;
  }

  async *files(): AsyncGenerator<ZipFile> {
    // First and uncompressed, so that programs recognize the file by its first bytes (OCF 3.2 §4.3).
    yield { path: 'mimetype', content: { stored: Buffer.from(epubMediaType) } };
    yield { path: 'META-INF/container.xml', content: whole(container) };
    yield inPackage('style.css', whole(bookStyle));
    yield inPackage('title.xhtml', whole(titlePage(this.#facts)));
    const pages: BookPage[] = [];
    for (const [at, head] of this.#source.heads.entries()) {
      const page = yield* this.#page(head, `page-${at + 1}.xhtml`);
      if (page) pages.push(page);
    }
    await nextTurn();
    const images = [...this.#taken.values()].filter(image => image !== undefined);
    yield inPackage('nav.xhtml', encodeInTurns(navigation(pages)));
    yield inPackage('toc.ncx', encodeInTurns(ncxNavigation(this.#facts, pages)));
    yield inPackage('images/none.svg', whole(noImage));
    yield inPackage('package.opf', whole(packageFile(this.#facts, pages, images)));
    this.#source.onEnd(this.#complete);
  }

  async #render(head: PageHead): Promise<PageShowing | undefined> {
    const { notebook, client, requireStillOpen, pages } = this.#source;
    const waitMillis = Math.max(0, this.#deadline - performance.now());
    const showing = await renderPageByHead(this.#parts, notebook.id, head, 'book', client, waitMillis, pages);
    await requireStillOpen();
    return showing;
  }

  /** Renders each page once; the rendering is kept and read again when the page is written. */
  async #learnHeadings(head: PageHead): Promise<void> {
    const file = this.#fileOf(head);
    if (this.#headings.has(file)) return;
    const showing = await this.#render(head);
    this.#headings.learn(file, showing?.rendered.headings ?? []);
  }

  #fileOf(head: PageHead): string {
    return `page-${this.#source.heads.indexOf(head) + 1}.xhtml`;
  }

  async *#page(head: PageHead, file: string): AsyncGenerator<ZipFile, BookPage | undefined> {
    const showing = await this.#render(head);
    if (!showing) return undefined;
    if (!isLasting(showing.rendered)) this.#complete = false;
    const { html, headings, plain, language, direction } = await this.#linkResolver.resolve(head, showing.rendered);
    for (const linked of this.#linked) await this.#learnHeadings(linked);
    this.#linked.clear();
    for (const piece of piecesOf(html)) {
      await nextTurn();
      for (const url of imagesOf(piece)) yield* this.#image(url);
    }
    const { title, titleInText } = await this.#titleOf(head);
    const needsTitle = headings[0]?.depth !== 1 && !titleInText;
    const notice = plain && bookNotice(plain);
    const [before, after] = pageFile({ title, needsTitle, language, direction, notice });
    // A page that could not be rendered appears as it was written, escaped for HTML.
    const text = plain ? withoutNonXml(html) : html;
    yield inPackage(file, this.#pieces(head, before, text, after));
    return { file, title, headings: listedHeadings(headings), hasMath: html.includes('<math '), language, direction };
  }

  async #titleOf(head: PageHead): Promise<ShownTitle> {
    const { notebook } = this.#facts;
    const [givenTitle, heading] = [titleInXml(head.givenTitle), titleInXml(head.heading)];
    const shown = await readTitle(this.#source.pages, notebook, notebook.pageCount, { ...head, givenTitle, heading });
    const title = titleInXml(shown.title);
    return title === '' ? { title: untitledPage, titleInText: false } : { ...shown, title };
  }

  async *#pieces(head: PageHead, before: string, html: string, after: string): AsyncGenerator<Buffer> {
    yield Buffer.from(before);
    for (const piece of piecesOf(html)) {
      await nextTurn();
      yield Buffer.from(this.#parts.texts.on(head, () => resolveBookLinks(piece, this)));
    }
    yield Buffer.from(after);
  }

  /** Adds an image of this notebook before the first page that shows it; an image that the store does not deliver stays a link. */
  async *#image(url: string): AsyncGenerator<ZipFile> {
    const image = this.#ownImages.find(url);
    if (!image || this.#taken.has(image.key)) return;
    await this.#source.requireStillOpen();
    const bytes = await readImage(this.#parts.objects!, image, this.#source.signal);
    if (!bytes) this.#complete = false;
    const file = `images/${image.key.split('/')[1]}`;
    this.#taken.set(image.key, bytes && { file, type: contentTypeOf(image.type) });
    if (bytes) yield { ...inPackage(file, Readable.from(bytes)), packed: true };
  }
}

async function* whole(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

async function* encodeInTurns(texts: Iterable<string>): AsyncGenerator<Buffer> {
  for (const text of texts) {
    await nextTurn();
    yield Buffer.from(text);
  }
}

function inPackage(file: string, content: AsyncIterable<Uint8Array>): ZipFile {
  return { path: packageFolder + file, content };
}

/** A UUID of version 8 (RFC 9562): the same for every copy of the book, and it reveals nothing about the notebook. */
function uuidOf(notebookId: string): string {
  const hex = createHash('sha256').update(`book ${notebookId}`).digest('hex');
  const variant = ((Number.parseInt(hex[16]!, 16) & 0x3) | 0x8).toString(16);
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, variant + hex.slice(17, 20), hex.slice(20, 32)].join('-');
}
