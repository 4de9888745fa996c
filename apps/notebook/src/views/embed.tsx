import type { VNode } from 'preact';
import { embedUrls } from '../embed-code.ts';
import { urls } from '../urls.ts';
import { Document, renderDocument } from './document.tsx';
import { PageBody, retryScript } from './page-body.tsx';
import type { EmbedProps, HtmlDocument, Site } from './props.ts';

/** `/n/{slug}/embed`: the text alone, for a frame on another site. Nothing in it changes anything, so clickjacking gains nothing. */
export function renderEmbed(site: Site, { notebook, page, pages }: EmbedProps): HtmlDocument {
  return renderDocument(
    <Document site={site} title={notebook.title} kind="embed" scripts={['reader', ...retryScript(page)]}>
      <main id="main" class={`sheet embed paper-${notebook.paper}`} tabindex={-1}>
        {page.headings[0]?.depth !== 1 && (
          <header class="sheet-head">
            <h1 class={page.titleInText ? 'visually-hidden' : undefined} dir="auto">
              {page.title}
            </h1>
          </header>
        )}
        <PageBody
          page={{ ...page, html: openedOutside(page.html, embedUrls.embed(notebook.slug)) }}
          address={pages.find(({ current }) => current)?.href}
        />
        {pages.length > 1 && <Pages pages={pages} />}
        <p class="sheet-foot">
          <a href={urls.view(notebook.slug)} target="_blank" rel="noopener">
            Open “<bdi>{notebook.title}</bdi>” in Octavo
          </a>
        </p>
      </main>
    </Document>,
  );
}

function Pages({ pages }: Pick<EmbedProps, 'pages'>): VNode {
  return (
    <nav class="embed-pages" aria-label="Pages">
      <ol>
        {pages.map(({ id, title, href, current }) => (
          <li key={id}>
            <a href={href} aria-current={current ? 'page' : undefined} dir="auto">
              {title}
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** In rendered HTML `<a ` occurs only at the start of a link: `<` and quotes are escaped in text and attributes. */
const link = /<a(?=[^<>]*? href="([^"]*)")/g;
/** A fragment, or an address of another kind than the web's, such as an email. */
const notOfTheWeb = /^(?:#|(?!https?:)[a-z][a-z0-9+.-]*:)/i;

/** Most sites refuse to be framed, and so do our own other pages. So links open outside, except those within the frame. */
function openedOutside(html: string, own: string): string {
  return html.replace(link, (start, address: string) =>
    notOfTheWeb.test(address) || /^[^?#]*/.exec(address)![0] === own ? start : `${start} target="_blank"`,
  );
}
