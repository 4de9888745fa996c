import type { VNode } from 'preact';
import { urls } from '../urls.ts';
import { Document, renderDocument } from './document.tsx';
import type { ErrorProps, HtmlDocument, Site } from './props.ts';
import { SiteFooter, SiteHeader } from './site-header.tsx';

export function renderError(site: Site, props: ErrorProps): HtmlDocument {
  const heading = asHeading(props.title);
  const isUnknown = props.status === 404 && props.detail === undefined;
  const isNotebook = isUnknown && /^\/n\/[a-z0-9-]{1,64}(?![a-z0-9-])/.test(props.address ?? '');
  return renderDocument(
    <Document
      site={site}
      title={heading}
      kind="error"
      card={props.status === 404 ? missingCard : undefined}
      scripts={isNotebook ? ['own-edit'] : []}
    >
      <SiteHeader />
      <main id="main" class="column error-page" tabindex={-1}>
        <p class="error-status" aria-hidden="true">
          {props.status}
        </p>
        <h1>{heading}</h1>
        {props.detail && <p class="lead">{props.detail}</p>}
        {/* Shown if this browser keeps the edit link (browser/site/theme.ts); the bytes are the same for everybody. */}
        {isNotebook && (
          <p class="lead own-edit">
            This browser has the edit link of this notebook, so the editor may still open it. Readers can’t: it is private, has
            expired, was opened by its one reader, or was deleted.
          </p>
        )}
        {isUnknown && <WhyMissing />}
        {props.status === 410 && (
          <p class="lead">Nobody can read it at this address any more. Only the operator of this server can say why.</p>
        )}
        <p class="button-row">
          {props.notebook !== undefined && (
            <a class="button primary" href={props.notebook}>
              Go to the notebook
            </a>
          )}
          {isNotebook && (
            // Until browser/site/own-edit.ts has put the slug in, to the list on the home page, which has the notebook too.
            <a class="button primary own-edit" href={urls.home()} rel="nofollow">
              Open the editor
            </a>
          )}
          <a class={props.notebook === undefined ? 'button primary' : 'button'} href={urls.home()}>
            Go to the start page
          </a>
        </p>
      </main>
      <SiteFooter />
    </Document>,
  );
}

/** Titles are sentences in the API. One sentence alone is a heading here, and a heading has no full stop. */
const asHeading = (title: string): string => (/[.?!] /.test(title) ? title : title.replace(/\.$/, ''));

/** Used for a private notebook and for a missing one: it reveals neither, and not even the requested address. */
const missingCard = { path: urls.home(), title: 'A notebook', description: 'Open the link to see whether you may read it.' };

/** Names every cause and confirms none: whether a notebook is private, expired or never existed is not revealed. */
function WhyMissing(): VNode {
  return (
    <div class="lead">
      <p>We couldn’t find that notebook. There are a few usual reasons:</p>
      <ul>
        <li>The link lost a few characters on its way to you.</li>
        <li>The notebook has expired, was deleted, or was meant to be read once.</li>
        <li>Its owner keeps it private.</li>
      </ul>
      <p>The person who sent you the link can tell you more. If the notebook is yours, open it with its edit link.</p>
    </div>
  );
}
