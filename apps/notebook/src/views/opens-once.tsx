import { urls } from '../urls.ts';
import { Document, renderDocument } from './document.tsx';
import type { HtmlDocument, Site } from './props.ts';
import { SiteFooter, SiteHeader } from './site-header.tsx';

/** For people who see the link in a chat: nothing of the notebook. */
const description = 'Only the first person who opens it can read it.';

/** Shown before a burn-after-read notebook. It contains nothing of it, so robots, previews and prefetchers burn nothing by looking. */
export function renderOpensOnce(site: Site, { slug }: { readonly slug: string }): HtmlDocument {
  return renderDocument(
    <Document
      site={site}
      title="Opens once"
      card={{ path: urls.view(slug), title: 'A notebook that opens once', description }}
      kind="opens-once"
    >
      <SiteHeader />
      <main id="main" class="column" tabindex={-1}>
        <h1>This notebook opens once</h1>
        <p class="lead">
          The first person who opens it can read, print and copy it for ten minutes, in this browser. After that, nobody can, and
          it is deleted the next day.
        </p>
        <p class="lead">Open it when you have the time to read it.</p>
        {/* Shown if this browser keeps the edit link (browser/site/theme.ts); the bytes are the same for everybody. */}
        <p class="lead own-edit">
          This browser has its edit link. If you open it here, nobody else can read it. <a href={urls.edit(slug)}>The editor</a>{' '}
          doesn’t use it up.
        </p>
        <form method="post" action={urls.api.open(slug)}>
          <p class="button-row">
            <button type="submit" class="button primary">
              Open it now
            </button>
            <a class="button" href={urls.home()}>
              Not now
            </a>
          </p>
        </form>
      </main>
      <SiteFooter />
    </Document>,
  );
}
