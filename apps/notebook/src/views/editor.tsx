import { Document, renderDocument } from './document.tsx';
import type { EditorProps, HtmlDocument, Site } from './props.ts';
import { SiteHeader } from './site-header.tsx';

/** The shell of the editor. It holds no text and no token: the script fetches the text with the token that the browser keeps. */
export function renderEditor(site: Site, { slug, mode }: EditorProps): HtmlDocument {
  return renderDocument(
    <Document site={site} title="Editor" styles={['site', 'editor']} scripts={['editor']} kind="editor">
      <div id="editor" data-mode={mode} data-slug={slug} data-image-origin={site.imageOrigin}>
        <SiteHeader>
          <div id="editor-actions" />
        </SiteHeader>
        <div id="editor-root">
          <main id="main" class="column" tabindex={-1}>
            <h1>Opening the notebook</h1>
            <p data-editor-opening>One moment.</p>
            <noscript>
              <p class="notice warning">The editor needs JavaScript. Reading the notebook by its view link does not.</p>
            </noscript>
          </main>
        </div>
      </div>
    </Document>,
  );
}
