import { urls } from '../urls.ts';
import { CreatedLinks } from './created-links.tsx';
import { Document, renderDocument } from './document.tsx';
import type { HtmlDocument, QuickProps, Site } from './props.ts';
import { QuickForm } from './quick-form.tsx';
import { SiteFooter, SiteHeader } from './site-header.tsx';

const description = 'Paste text, press one button, and get a link to share and a link to edit.';

export function renderQuick(site: Site, _props: QuickProps): HtmlDocument {
  return renderDocument(
    <Document
      site={site}
      title="Quick paste"
      description={description}
      canonical={urls.quick()}
      scripts={['quick']}
      typefaces={['mono']}
      kind="quick"
    >
      <SiteHeader />
      <main id="main" class="column" tabindex={-1}>
        <h1>Quick paste</h1>
        <QuickForm site={site} rows={16} />
        <CreatedLinks />
      </main>
      <SiteFooter />
    </Document>,
  );
}
