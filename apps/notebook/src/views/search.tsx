import type { VNode } from 'preact';
import type { Segment } from '../model/hits.ts';
import { urls } from '../urls.ts';
import { Document, renderDocument } from './document.tsx';
import { FoundPage } from './found-page.tsx';
import { Marked } from './marked.tsx';
import { Moment } from './moment.tsx';
import type { HtmlDocument, Site } from './props.ts';
import { SearchField } from './search-field.tsx';
import { SiteFooter, SiteHeader } from './site-header.tsx';

export interface ResultItem {
  readonly href: string;
  readonly title: readonly Segment[];
  readonly notebookTitle: readonly Segment[];
  readonly snippet: readonly Segment[];
  readonly updatedAt: number;
}

export interface SearchProps {
  /** Absent: no search yet. */
  readonly query?: string | undefined;
  /** Why the search was refused. */
  readonly fault?: { readonly path: string; readonly message: string } | undefined;
  readonly page?: number;
  readonly items?: readonly ResultItem[];
  readonly more?: boolean;
}

const description = 'Search the public notebooks on this server: titles and text, in every script.';

/** A form and its results. The form searches by its address, so that no script is needed. */
export function renderSearch(site: Site, props: SearchProps): HtmlDocument {
  const { query, items } = props;
  return renderDocument(
    <Document
      site={site}
      title={query === undefined ? 'Search' : `${query.trim()} · Search`}
      description={query === undefined ? description : undefined}
      canonical={query === undefined ? urls.search() : undefined}
      feed={{ path: urls.publicFeed(), title: 'Public notebooks' }}
      kind="search"
    >
      <SiteHeader />
      <main id="main" class="column" tabindex={-1}>
        <h1>Search public notebooks</h1>
        <SearchForm {...props} />
        {query === undefined && <About />}
        {items && <Results {...props} items={items} />}
      </main>
      <SiteFooter />
    </Document>,
  );
}

function SearchForm({ query, fault }: SearchProps): VNode {
  const faulty = fault?.path === 'q';
  return (
    <SearchField
      action={urls.search()}
      label="Search for"
      button="Search"
      query={query ?? ''}
      fault={fault && { sentence: `${faulty ? 'The search' : 'The page of results'} ${fault.message}.`, inQuery: faulty }}
    />
  );
}

function About(): VNode {
  return (
    <p class="lead">
      Only notebooks that their owners made public are searched. A notebook that can be opened by link alone, that has a password,
      or that opens once is never found here.
    </p>
  );
}

function Results({ query = '', page = 1, items, more }: SearchProps & { items: readonly ResultItem[] }): VNode {
  if (items.length === 0) return <NothingFound query={query} page={page} />;
  return (
    <section class="results" aria-labelledby="results-title">
      <h2 id="results-title" class="visually-hidden">
        {page === 1 ? 'Results' : `Results, page ${page}`}
      </h2>
      <ol>
        {items.map(item => (
          <Result key={item.href} {...item} />
        ))}
      </ol>
      {(page > 1 || more) && <ResultPages query={query} page={page} more={more ?? false} />}
    </section>
  );
}

function Result({ href, title, notebookTitle, snippet, updatedAt }: ResultItem): VNode {
  return (
    <FoundPage href={href} title={title} snippet={snippet}>
      <p class="result-facts">
        {hasSameText(title, notebookTitle) ? (
          'Changed '
        ) : (
          <>
            In{' '}
            <bdi>
              <Marked segments={notebookTitle} />
            </bdi>
            , changed{' '}
          </>
        )}
        <Moment at={updatedAt} />
      </p>
    </FoundPage>
  );
}

function hasSameText(one: readonly Segment[], other: readonly Segment[]): boolean {
  const textOf = (segments: readonly Segment[]) => segments.map(({ text }) => text).join('');
  return textOf(one) === textOf(other);
}

function NothingFound({ query, page }: { query: string; page: number }): VNode {
  if (page > 1) {
    return (
      <p class="lead" role="status">
        There are no further results. <a href={urls.searchFor(query)}>Back to the first ones</a>
      </p>
    );
  }
  return (
    <div class="results-none" role="status">
      <p class="lead">
        No public notebook holds <bdi>“{query}”</bdi>.
      </p>
      <p>Every word must be on the page. Fewer words, or a part of one, find more.</p>
    </div>
  );
}

function ResultPages({ query, page, more }: { query: string; page: number; more: boolean }): VNode {
  return (
    <nav class="pager" aria-label="Pages of results">
      {page > 1 && (
        <a rel="prev" href={urls.searchFor(query, page - 1)}>
          <span class="pager-word">Previous</span> Page {page - 1}
        </a>
      )}
      {more && (
        <a rel="next" href={urls.searchFor(query, page + 1)}>
          <span class="pager-word">Next</span> Page {page + 1}
        </a>
      )}
    </nav>
  );
}
