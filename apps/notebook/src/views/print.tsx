import type { VNode } from 'preact';
import { hasDiagrams } from '../markdown/has-diagrams.ts';
import { urls } from '../urls.ts';
import { Document, renderDocument } from './document.tsx';
import { Moment } from './moment.tsx';
import { PageBody } from './page-body.tsx';
import type { PrintProps, Site } from './props.ts';
import { HeadingList } from './table-of-contents.tsx';

/** `/n/{slug}/print`: a title sheet, a table of contents and every page on a sheet of its own, for the browser to save as a PDF. */
export function renderPrint(site: Site, props: PrintProps): string {
  const { notebook, pages } = props;
  return renderDocument(
    <Document
      site={site}
      title={notebook.title}
      styles={['site', 'print']}
      scripts={pages.some(({ html }) => hasDiagrams(html)) ? ['reader', 'diagrams'] : ['reader']}
      kind="print"
    >
      <p class="print-bar">
        <a class="button" href={urls.view(notebook.slug)}>
          Back to the notebook
        </a>
        <span class="hint">Print this page, or save it as a PDF, with your browser.</span>
      </p>
      <main id="main" class="book" tabindex={-1}>
        <TitleSheet {...props} />
        {pages.length > 1 || (pages[0]?.headings.length ?? 0) > 2 ? <Contents pages={pages} /> : null}
        {pages.map(page => (
          <section key={page.id} class="book-page" id={anchor(page.id)} aria-label={page.title}>
            {page.headings[0]?.depth !== 1 && (
              <h1 class="book-page-title" dir="auto">
                {page.title}
              </h1>
            )}
            <PageBody page={page} />
          </section>
        ))}
      </main>
    </Document>,
  );
}

function TitleSheet({ notebook, pages }: PrintProps): VNode {
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
    </header>
  );
}

function Contents({ pages }: Pick<PrintProps, 'pages'>): VNode {
  return (
    <nav class="book-contents" aria-labelledby="contents-title">
      <h2 id="contents-title">Contents</h2>
      <ol>
        {pages.map(page => {
          const below = page.headings.filter(
            (heading, place) => heading.depth <= 3 && heading.text && !(place === 0 && heading.depth === 1),
          );
          return (
            <li key={page.id}>
              <a class="contents-page" href={`#${anchor(page.id)}`} dir="auto">
                {page.title}
              </a>
              {below.length > 0 && <HeadingList headings={below} />}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

/** Cannot meet an id made from the text: those start with the renderer's prefix. */
function anchor(pageId: string): string {
  return `sheet-${pageId}`;
}
