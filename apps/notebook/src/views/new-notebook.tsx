import type { VNode } from 'preact';
import { limits } from '../limits.ts';
import type { Paper } from '../model/notebook.ts';
import { urls } from '../urls.ts';
import { CreatedLinks } from './created-links.tsx';
import { Document, renderDocument } from './document.tsx';
import { NeedsScript } from './needs-script.tsx';
import type { HtmlDocument, NewNotebookProps, Site } from './props.ts';
import { SiteFooter, SiteHeader } from './site-header.tsx';

const description = 'Start a notebook of Markdown pages: choose a title, an address and a paper. No account needed.';

export function renderNewNotebook(site: Site, _props: NewNotebookProps): HtmlDocument {
  return renderDocument(
    <Document
      site={site}
      title="New notebook"
      description={description}
      canonical={urls.newNotebook()}
      scripts={['new-notebook']}
      kind="new"
    >
      <SiteHeader />
      <main id="main" class="column" tabindex={-1}>
        <h1>New notebook</h1>
        <NeedsScript />
        <form class="stack" data-new-form novalidate>
          <TitleField />
          <FirstPage />
          <SlugField site={site} />
          <PaperChoice />
          <p class="notice error" role="alert" data-form-error hidden />
          <p class="button-row">
            {/* Its script enables it: before that, the browser itself would send the text in the address. */}
            <button type="submit" class="button primary" disabled>
              Create the notebook
            </button>
          </p>
        </form>
        <CreatedLinks />
      </main>
      <SiteFooter />
    </Document>,
  );
}

function TitleField(): VNode {
  return (
    <div class="field">
      <label class="label" for="title">
        Title
      </label>
      <p class="hint" id="title-hint">
        Optional. We’ll use the first heading.
      </p>
      <input
        id="title"
        name="title"
        type="text"
        maxlength={limits.maxTitleChars}
        dir="auto"
        autocomplete="off"
        aria-describedby="title-hint"
      />
    </div>
  );
}

function SlugField({ site }: { site: Site }): VNode {
  return (
    <div class="field">
      <label class="label" for="slug">
        Address <span class="optional">optional</span>
      </label>
      <p class="hint" id="slug-hint">
        Left empty, we’ll choose 16 random characters that nobody can guess. Your own address is easier to say, and easier to
        guess: don’t rely on it to keep a notebook hidden.
      </p>
      <div class="slug-row">
        <span class="slug-base" aria-hidden="true">
          {`${site.publicUrl.replace(/^https?:\/\//, '')}/n/`}
        </span>
        <input
          id="slug"
          name="slug"
          type="text"
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          maxlength={limits.maxSlugChars}
          aria-describedby="slug-hint slug-state"
        />
      </div>
      <p class="slug-state" id="slug-state" role="status" data-slug-state />
    </div>
  );
}

/** A record, so that a new paper without a name here does not compile. */
const paperNames: Record<Paper, string> = { plain: 'Plain', lined: 'Lined', grid: 'Grid', dotted: 'Dotted', kraft: 'Kraft' };

function PaperChoice(): VNode {
  return (
    <fieldset class="field papers">
      <legend class="label">Paper</legend>
      <div class="paper-choices">
        {Object.entries(paperNames).map(([paper, name]) => (
          <label key={paper} class="paper-choice">
            <input type="radio" name="paper" value={paper} checked={paper === 'plain'} />
            <span class={`paper-swatch paper-${paper}`} aria-hidden="true">
              <span class="swatch-title">Aa</span>
            </span>
            <span>{name}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function FirstPage(): VNode {
  return (
    <div class="field">
      <label class="label" for="markdown">
        First page
      </label>
      <p class="hint" id="markdown-hint">
        Markdown. You can add more pages in the editor.
      </p>
      <textarea
        id="markdown"
        autofocus
        name="markdown"
        rows={12}
        spellcheck
        placeholder="Write here. The first heading or line becomes the title."
        aria-describedby="markdown-hint"
      />
    </div>
  );
}
