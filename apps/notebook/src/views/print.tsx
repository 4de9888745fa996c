import type { VNode } from 'preact';
import { render } from 'preact-render-to-string';
import type { Heading } from '../markdown/rendered.ts';
import { urls } from '../urls.ts';
import { Document, renderDocument } from './document.tsx';
import { Moment } from './moment.tsx';
import { PageBody } from './page-body.tsx';
import type { HtmlDocument, PrintFrameProps, PrintOutline, PrintProps, Site } from './props.ts';
import { QrCode } from './qr-code.tsx';
import { HeadingList } from './table-of-contents.tsx';

/** `/n/{slug}/print`: a title sheet, a table of contents and every page on a sheet of its own, for the browser to save as a PDF. */
export function renderPrint(site: Site, { pages, ...props }: PrintProps): HtmlDocument {
  const { before, after, frames } = renderPrintFrame(site, { ...props, pages: pages.map(outlineOf) });
  return { html: [...before, ...pages.map(renderPrintPage), after].join(''), frames };
}

/** A page's entry in the contents, and what else is needed outside its own sheet. */
export function outlineOf({ id, title, headings, diagrams }: PrintProps['pages'][number]): PrintOutline {
  const listed = render(<ContentsPage id={id} title={title} headings={headings.filter(isListed).slice(0, maxOutlined)} />);
  return { id, title, listed, hasDiagrams: diagrams === true };
}

function isListed(heading: Heading, place: number): boolean {
  return heading.depth <= 3 && heading.text !== '' && !(place === 0 && heading.depth === 1);
}

/** Headings listed per page, in a notebook that may have 200 pages: the contents are for finding a page. */
const maxOutlined = 200;
/** No page's text contains it: NUL is refused everywhere. HTML that was drawn before replaces it. */
const placeOfDrawn = '\0';

/**
 * The HTML before the pages and after them, so that a long document can be sent page by page. Each page's contents entry is a separate
 * piece: together they may be megabytes, and joining them would block the event loop.
 */
export function renderPrintFrame(
  site: Site,
  props: PrintFrameProps,
): Pick<HtmlDocument, 'frames'> & { readonly before: readonly string[]; readonly after: string } {
  const { notebook, pages, onlyPage } = props;
  const title =
    onlyPage && pages[0] && pages[0].title !== notebook.title ? `${pages[0].title} · ${notebook.title}` : notebook.title;
  const { html, frames } = renderDocument(
    <Document
      site={site}
      title={title}
      styles={['site', 'print']}
      scripts={pages.some(({ hasDiagrams }) => hasDiagrams) ? ['reader', 'book', 'diagrams'] : ['reader', 'book']}
      kind="print"
    >
      <PrintBar {...props} />
      <main id="main" class="book" data-title={notebook.title} tabindex={-1}>
        {!onlyPage && <TitleSheet {...props} site={site} />}
        {/* Spec 1 §1.8: a table of contents, even for a single page. */}
        {!onlyPage && <Contents />}
        {placeOfDrawn}
      </main>
    </Document>,
  );
  const [start = '', ...others] = html.split(placeOfDrawn);
  const [behindContents = '', after = ''] = onlyPage ? ['', ...others] : others;
  return { before: onlyPage ? [start] : [start, ...pages.map(({ listed }) => listed), behindContents], after, frames };
}

/** One page's sheet. Its label is the running header. */
export function renderPrintPage(page: PrintProps['pages'][number]): string {
  return render(
    <section class="book-page" id={anchor(page.id)} aria-label={page.title}>
      {page.headings[0]?.depth !== 1 && (
        <h1 class={page.titleInText ? 'visually-hidden' : 'book-page-title'} dir="auto">
          {page.title}
        </h1>
      )}
      <PageBody page={page} />
    </section>,
  );
}

/** The paper size is chosen here, because the page numbers in the contents are right for one size only (browser/site/book.ts). */
function PrintBar({ notebook, onlyPage, forOwner }: PrintFrameProps): VNode {
  const back = forOwner ? urls.edit(notebook.slug) : urls.view(notebook.slug);
  return (
    // The address on each sheet when this was opened with the edit link (browser/site/reader.ts). A reload must not lead to a 404.
    <div class="print-bar" data-address={forOwner ? back : urls.print(notebook.slug)}>
      <button type="button" class="button primary" data-print-button>
        Print
      </button>
      <label class="print-paper">
        Paper
        <select data-print-paper>
          <option value="a4">A4</option>
          <option value="letter">US Letter</option>
        </select>
      </label>
      <a class="button" href={back}>
        Back to the notebook
      </a>
      {onlyPage && !forOwner && (
        <a class="button" href={urls.print(notebook.slug)}>
          Whole notebook
        </a>
      )}
      <p class="hint">To save a PDF, choose “Save as PDF” as the printer.</p>
    </div>
  );
}

function TitleSheet({ site, notebook, pages, viewLinkOpens }: PrintFrameProps & { site: Site }): VNode {
  const link = site.publicUrl + urls.view(notebook.slug);
  return (
    <header class="title-sheet">
      <h1 class="title-sheet-title" dir="auto">
        {notebook.title}
      </h1>
      <p class="title-sheet-facts">
        {pages.length === 1 ? '1 page' : `${pages.length} pages`}
        <br />
        Last changed <Moment at={notebook.updatedAt} />
      </p>
      {viewLinkOpens && (
        <p class="title-sheet-link">
          <QrCode link={link} label="QR code of the view link" />
          <span>{link}</span>
        </p>
      )}
    </header>
  );
}

function Contents(): VNode {
  return (
    <nav class="book-contents" aria-labelledby="contents-title">
      <h2 id="contents-title">Contents</h2>
      <ol>{placeOfDrawn}</ol>
    </nav>
  );
}

function ContentsPage({ id, title, headings }: Pick<PrintProps['pages'][number], 'id' | 'title' | 'headings'>): VNode {
  return (
    <li>
      <a class="contents-page" href={`#${anchor(id)}`} dir="auto">
        {title}
      </a>
      {headings.length > 0 && <HeadingList headings={headings} />}
    </li>
  );
}

/** Cannot collide with an id made from the text: those start with the renderer's prefix. */
const anchor = (pageId: string): string => `sheet-${pageId}`;

/** A link inside the book, to a page or one of its headings (`idPrefix` of the variant `print`). */
export function linkInPrint(pageId: string, heading: string | undefined): string {
  return heading === undefined ? `#${anchor(pageId)}` : `#user-content-${pageId}-${heading}`;
}
