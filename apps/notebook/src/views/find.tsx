import type { VNode } from 'preact';
import type { Segment } from '../model/hits.ts';
import { urls } from '../urls.ts';
import { Document, renderDocument } from './document.tsx';
import { FoundPage } from './found-page.tsx';
import type { HtmlDocument, Site } from './props.ts';
import { SearchField } from './search-field.tsx';
import { SiteFooter, SiteHeader } from './site-header.tsx';

export interface FindProps {
  readonly slug: string;
  readonly title: string;
  /** Absent: no search yet. */
  readonly query?: string | undefined;
  readonly fault?: string | undefined;
  readonly items?: readonly {
    readonly href: string;
    readonly title: readonly Segment[];
    readonly snippet: readonly Segment[];
  }[];
}

/** `/n/{slug}/find`: a form that searches by its address, so that no script is needed, and the places it found. */
export function renderFind(site: Site, props: FindProps): HtmlDocument {
  const { slug, title, query = '', fault, items } = props;
  return renderDocument(
    <Document site={site} title={`Find in ${title}`} kind="search">
      <SiteHeader>
        <nav class="notebook-links" aria-label="This notebook">
          <a class="button quiet" href={urls.view(slug)}>
            Back to the notebook
          </a>
        </nav>
      </SiteHeader>
      <main id="main" class="column" tabindex={-1}>
        <h1 class="find-title" title={`Find in ${title}`}>
          Find in <bdi>{title}</bdi>
        </h1>
        <SearchField
          action={urls.find(slug)}
          label="Words on its pages"
          button="Find"
          query={query}
          fault={fault === undefined ? undefined : { sentence: `The search ${fault}.`, inQuery: true }}
        />
        {items && <Places query={query} items={items} />}
      </main>
      <SiteFooter />
    </Document>,
  );
}

function Places({ query, items }: { query: string; items: NonNullable<FindProps['items']> }): VNode {
  if (items.length === 0) {
    return (
      <p class="lead" role="status">
        No page of this notebook holds <bdi>“{query}”</bdi>.
      </p>
    );
  }
  return (
    <section class="results" aria-labelledby="places-title">
      <h2 id="places-title" class="visually-hidden">
        {items.length === 1 ? 'On 1 page' : `On ${items.length} pages`}
      </h2>
      <ol>
        {items.map(item => (
          <FoundPage key={item.href} {...item} />
        ))}
      </ol>
    </section>
  );
}
