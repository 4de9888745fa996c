import { CreatedLinks } from './created-links.tsx';
import { Document, renderDocument } from './document.tsx';
import type { QuickProps, Site } from './props.ts';
import { SiteFooter, SiteHeader } from './site-header.tsx';

const description = 'Paste markdown, press one button, and get a link to share and a link to edit.';

export function renderQuick(site: Site, _props: QuickProps): string {
  return renderDocument(
    <Document site={site} title="Quick paste" description={description} canonical="/quick" scripts={['quick']} kind="quick">
      <SiteHeader />
      <main id="main" class="column" tabindex={-1}>
        <h1>Quick paste</h1>
        <NeedsScript />
        <form class="stack" data-quick-form>
          <div class="field">
            <label class="label" for="markdown">
              Markdown
            </label>
            <p class="hint" id="quick-hint">
              The first heading becomes the title. The edit link is copied for you.
            </p>
            <textarea id="markdown" name="markdown" rows={16} required dir="auto" aria-describedby="quick-hint" spellcheck />
          </div>
          <p class="button-row">
            <button type="submit" class="button primary">
              Create the notebook
            </button>
            <span class="hint key-hint">
              or <kbd>Ctrl</kbd> <kbd>Enter</kbd>
            </span>
          </p>
          <p class="notice error" role="alert" data-form-error hidden />
        </form>
        <CreatedLinks />
      </main>
      <SiteFooter />
    </Document>,
  );
}

export function NeedsScript() {
  return (
    <noscript>
      <p class="notice warning">
        Creating a notebook needs JavaScript, because the edit link is kept by your browser. Reading never does.
      </p>
    </noscript>
  );
}
