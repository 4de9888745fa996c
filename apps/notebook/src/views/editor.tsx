import type { VNode } from 'preact';
import { Document, renderDocument } from './document.tsx';
import type { EditorProps, HtmlDocument, OpeningText, Site } from './props.ts';
import { SiteHeader } from './site-header.tsx';

/**
 * The editor's page before its script. It never holds the token. With the edit token in its address it shows the start of the text where
 * the field will be, so that a phone can be read from while the script loads. On `/edit/{slug}` only the browser knows the token.
 */
export function renderEditor(site: Site, { slug, mode, opening }: EditorProps): HtmlDocument {
  return renderDocument(
    <Document site={site} title="Editor" styles={['site', 'editor']} scripts={['editor']} typefaces={['mono']} kind="editor">
      <div
        id="editor"
        data-mode={mode}
        data-slug={slug}
        data-image-origin={site.imageOrigin}
        data-opening={opening ? '' : undefined}
      >
        <SiteHeader>
          <div id="editor-actions">
            {opening && (
              <p class="editor-title" dir="auto">
                {opening.title}
              </p>
            )}
          </div>
        </SiteHeader>
        <div id="editor-root">
          {opening ? (
            <Opening {...opening} />
          ) : (
            <main id="main" class="column" tabindex={-1}>
              <h1>Opening the notebook</h1>
              <p data-editor-opening>One moment.</p>
              <NeedsScript />
            </main>
          )}
        </div>
      </div>
    </Document>,
  );
}

/** The boxes of browser/editor/workspace.tsx, in the same places. */
function Opening({ title, pages, text, notebook }: OpeningText): VNode {
  return (
    <div class="workspace" data-view-mode="split">
      <div class="workspace-switch" />
      <nav class="page-list" aria-label="Pages">
        <ol>
          {pages.map((page, place) => (
            <li key={page} data-current={place === 0 ? '' : undefined}>
              <span class="page-grip" />
              <span class="page-pick" dir="auto">
                <span class="page-name">{page}</span>
              </span>
            </li>
          ))}
        </ol>
      </nav>
      <main id="main" class="page-editor" tabindex={-1}>
        <h1 class="visually-hidden">{`Opening ${title}`}</h1>
        <NeedsScript />
        <div class="editor-bar" />
        <div class="editor-panes">
          <div class="writing">
            <div class="fields">
              <div class="editor-field">
                {/* It scrolls, so the keyboard must reach it. */}
                <section class="opening-text" aria-label="Text" tabindex={0} dir="auto">
                  {text}
                </section>
              </div>
            </div>
            <p class="field-keys hint" data-editor-opening>
              Opening the notebook. One moment.
            </p>
          </div>
        </div>
      </main>
      {/* A data block, not a script: nothing in it ever runs. No text of it can end the block. */}
      {notebook && (
        <script
          type="application/json"
          class="opening-notebook"
          dangerouslySetInnerHTML={{ __html: notebook.replaceAll('<', '\\u003c') }}
        />
      )}
    </div>
  );
}

function NeedsScript(): VNode {
  return (
    <noscript>
      <p class="notice warning">The editor needs JavaScript. Reading the notebook by its view link does not.</p>
    </noscript>
  );
}
