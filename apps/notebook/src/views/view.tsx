import type { VNode } from 'preact';
import { render } from 'preact-render-to-string';
import { urls } from '../urls.ts';
import { Comments } from './comments.tsx';
import { type Card, Document, renderDocument } from './document.tsx';
import { Moment } from './moment.tsx';
import { NotebookIndex, titleHint } from './notebook-index.tsx';
import { PageBody, retryScript } from './page-body.tsx';
import type { HtmlDocument, Site, ViewProps } from './props.ts';
import { ReadOnce } from './read-once.tsx';
import { SiteFooter, SiteHeader } from './site-header.tsx';
import { slidesOf } from './slides.tsx';
import { TableOfContents } from './table-of-contents.tsx';
import { linkImages } from './zoom-links.ts';

const isEmpty = (html: string): boolean => html.trim() === '';

/** `/n/{slug}` and `/n/{slug}/p/{pageId}`: readable without any script. */
export function renderView(site: Site, props: ViewProps): HtmlDocument {
  const { notebook, page, pages, listed } = props;
  const html = linkImages(page.html);
  const { minutes, slides } = page.facts;
  const title = tabTitle(props);
  const description = props.shared || listed ? props.description || notebook.title : undefined;
  return renderDocument(
    <Document
      site={site}
      title={title}
      description={listed ? description : undefined}
      card={props.shared ? cardOf(props, title, description) : undefined}
      feed={listed ? { path: urls.feed(notebook.slug), title: notebook.title } : undefined}
      embed={props.framed ? site.publicUrl + canonicalPath(props) : undefined}
      canonical={listed ? canonicalPath(props) : undefined}
      scripts={[
        'reader',
        ...(page.diagrams ? (['diagrams'] as const) : []),
        ...(html === page.html ? [] : (['zoom'] as const)),
        ...(props.once ? (['once'] as const) : []),
        ...retryScript(page),
      ]}
      typefaces={page.facts.typefaces}
      kind="view"
    >
      <SiteHeader>
        <NotebookLinks {...props} />
      </SiteHeader>
      <div class="reader" data-pages={pages.length > 1 ? 'many' : 'one'}>
        <NotebookIndex notebook={notebook} pages={pages} />
        <main id="main" class={`sheet paper-${notebook.paper}`} tabindex={-1}>
          <header class="sheet-head">
            {notebook.title !== shownTitle(props) && (
              <p class="notebook-title" dir="auto">
                {pages.length > 1 ? <a href={urls.view(notebook.slug)}>{notebook.title}</a> : notebook.title}
              </p>
            )}
            {!startsWithTitle(props) && (
              <h1 class={page.titleInText ? 'visually-hidden' : undefined} lang={page.language} dir="auto">
                {page.title}
              </h1>
            )}
          </header>
          {props.once && <ReadOnce {...props.once} />}
          <PageBody
            page={{ ...page, html }}
            belowTitle={render(<TableOfContents page={page} place="inside" />)}
            address={canonicalPath(props)}
          />
          <Pager {...props} />
          {props.comments && <Comments slug={notebook.slug} pageId={page.id} comments={props.comments} />}
          <p class="sheet-foot">
            {isEmpty(html) ? 'Changed' : `${minutes === 1 ? '1 minute' : `${minutes} minutes`} to read, changed`}{' '}
            <Moment at={page.updatedAt} />
            {notebook.expiresAt !== null && (
              <>
                , readable until <Moment at={notebook.expiresAt} />
              </>
            )}
            {pages.length > 1 && (
              <>
                {' · '}
                <a href={urls.printPage(notebook.slug, page.id)} rel="nofollow">
                  Print this page
                </a>
              </>
            )}
            {slides && (
              <>
                {' · '}
                <a href={slidesOf(canonicalPath(props))} rel="nofollow">
                  Show as slides
                </a>
              </>
            )}
            {' · '}
            <a href={urls.report(notebook.slug)} rel="nofollow">
              Report
            </a>
          </p>
        </main>
        <TableOfContents page={page} place="beside" />
      </div>
      <SiteFooter />
    </Document>,
  );
}

function NotebookLinks({ links, notebook, pages }: ViewProps): VNode {
  return (
    <nav class="notebook-links" aria-label="This notebook">
      {links.edit && (
        <a class="button quiet open-edit" href={links.edit}>
          Edit
        </a>
      )}
      {/* Shown if this browser keeps the edit link (browser/site/theme.ts); the bytes are the same for everybody. */}
      <a class="button quiet own-edit" href={urls.edit(notebook.slug)} rel="nofollow">
        Edit
      </a>
      {pages.length > 1 && (
        <a class="button quiet" href={urls.find(notebook.slug)}>
          Find
        </a>
      )}
      <a class="button quiet" href={links.markdown}>
        Markdown
      </a>
      <a class="button quiet" href={links.epub} rel="nofollow" download>
        EPUB
      </a>
      <a class="button quiet" href={links.print}>
        Print
      </a>
    </nav>
  );
}

function Pager({ previous, next }: ViewProps): VNode | null {
  if (!previous && !next) return null;
  return (
    <nav class="pager" aria-label="Previous and next page">
      {previous && (
        <a rel="prev" href={previous.href} title={titleHint(previous.title)}>
          <span class="pager-word">Previous</span> <span dir="auto">{previous.title}</span>
        </a>
      )}
      {next && (
        <a rel="next" href={next.href} title={titleHint(next.title)}>
          <span class="pager-word">Next</span> <span dir="auto">{next.title}</span>
        </a>
      )}
    </nav>
  );
}

/** A text that opens with its own first-level heading already has its title; a second one would only repeat it. */
function startsWithTitle({ page }: ViewProps): boolean {
  return page.headings[0]?.depth === 1;
}

/** The text of the page's first-level heading, or else its title. */
function shownTitle(props: ViewProps): string {
  return startsWithTitle(props) ? props.page.headings[0]!.text : props.page.title;
}

function tabTitle({ notebook, page, pages }: ViewProps): string {
  return pages.length > 1 && page.title !== notebook.title ? `${page.title} · ${notebook.title}` : notebook.title;
}

function cardOf(props: ViewProps, title: string, description: string | undefined): Card {
  const { notebook, pages } = props;
  const picture = {
    path: urls.notebookCard(notebook.slug, notebook.version),
    alt: `The title and first words of “${notebook.title}”`,
  };
  return { path: canonicalPath(props), title, description: cardText(pages.length, description), picture };
}

/** The number of pages and the first lines. */
function cardText(pages: number, description = ''): string {
  return pages > 1 ? `${pages} pages. ${description}` : description;
}

function canonicalPath({ notebook, page, pages }: ViewProps): string {
  return pages[0]?.id === page.id ? urls.view(notebook.slug) : urls.viewPage(notebook.slug, page.id);
}
