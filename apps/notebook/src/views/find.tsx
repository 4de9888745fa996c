import type { VNode } from 'preact';
import { limits } from '../limits.ts';
import type { Segment } from '../model/hits.ts';
import { urls } from '../urls.ts';
import { Document, renderDocument } from './document.tsx';
import { Marked } from './marked.tsx';
import type { Site } from './props.ts';
import { SiteFooter, SiteHeader } from './site-header.tsx';

export interface FindProps {
  readonly slug: string;
  readonly title: string;
  /** Absent: nothing was asked yet. */
  readonly query?: string | undefined;
  readonly fault?: string | undefined;
  readonly items?: readonly {
    readonly href: string;
    readonly title: readonly Segment[];
    readonly snippet: readonly Segment[];
  }[];
}

/** `/n/{slug}/find`: a form that asks by its address, so that no script is needed, and where the words stand. */
export function renderFind(site: Site, props: FindProps): string {
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
        <h1 dir="auto">Find in {title}</h1>
        <search>
          <form class="field" action={urls.find(slug)} method="get">
            <label class="label" for="q">
              Words on its pages
            </label>
            <div class="search-row">
              <input
                id="q"
                name="q"
                type="search"
                value={query}
                required
                maxlength={limits.maxSearchQueryChars}
                dir="auto"
                autocomplete="off"
                autocapitalize="none"
                enterkeyhint="search"
                aria-invalid={fault ? 'true' : undefined}
                aria-describedby={fault ? 'find-fault' : undefined}
              />
              <button type="submit" class="button primary">
                Find
              </button>
            </div>
            {fault && (
              <p class="notice error" role="alert" id="find-fault">
                The search {fault}.
              </p>
            )}
          </form>
        </search>
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
        {items.map(({ href, title, snippet }) => (
          <li key={href}>
            <h3 dir="auto">
              <a href={href}>
                <Marked segments={title} />
              </a>
            </h3>
            {snippet.length > 0 && (
              <p class="result-snippet" dir="auto">
                <Marked segments={snippet} />
              </p>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
