import { urls } from '../urls.ts';
import { Document, renderDocument } from './document.tsx';
import type { HtmlDocument, Site } from './props.ts';
import { SiteFooter, SiteHeader } from './site-header.tsx';

/** Shown without an answer of the server; the service worker fills the list with what this browser has kept, and says which it is. */
export function renderOffline(site: Site): HtmlDocument {
  return renderDocument(
    <Document site={site} title="You’re offline" kind="offline">
      <SiteHeader />
      <main id="main" class="column" tabindex={-1}>
        <h1>You’re offline</h1>
        <p class="lead">
          This page isn’t kept in this browser. Load it again later. Locked, private and burning notebooks are never kept.
        </p>
        <section class="kept-pages" aria-labelledby="kept-title">
          <h2 id="kept-title">Pages you can read now</h2>
          <p data-nothing-kept>None yet. The pages you read are kept here, as long as they may be.</p>
          <ul data-kept />
        </section>
        <p class="button-row">
          <a class="button" href={urls.home()}>
            Go to the start page
          </a>
        </p>
      </main>
      <SiteFooter />
    </Document>,
  );
}
