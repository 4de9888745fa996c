import type { VNode } from 'preact';
import { urls } from '../urls.ts';
import { CreatedLinks } from './created-links.tsx';
import { Document, renderDocument } from './document.tsx';
import { Faq } from './faq.tsx';
import { FooterLinks } from './landing.tsx';
import type { HomeProps, HtmlDocument, Site } from './props.ts';
import { QuickForm } from './quick-form.tsx';
import { SiteFooter, SiteHeader } from './site-header.tsx';
import { StartButtons } from './start-buttons.tsx';

const description =
  'Write a notebook of Markdown pages, send one link to read it and keep another to edit it. No account, no sign-up.';

export function renderHome(site: Site, { deleted, questions = [], links = [] }: HomeProps): HtmlDocument {
  return renderDocument(
    <Document
      site={site}
      title="Octavo"
      description={description}
      canonical={urls.home()}
      scripts={['home', 'quick']}
      typefaces={['mono']}
      kind="home"
    >
      <SiteHeader>
        <a class="button quiet" href={urls.search()}>
          Search
        </a>
      </SiteHeader>
      <main id="main" class="column" tabindex={-1}>
        {deleted && (
          <p class="notice" role="status" tabindex={-1}>
            The notebook was deleted, with all its pages.
          </p>
        )}
        <Opening site={site} />
        <SavedNotebooks />
        <HowItWorks />
        {questions.length > 0 && <Faq questions={questions} />}
      </main>
      <SiteFooter>
        <FooterLinks links={links} />
      </SiteFooter>
    </Document>,
  );
}

function Opening({ site }: { readonly site: Site }): VNode {
  return (
    <section class="opening">
      <h1>A notebook you can hand to anyone</h1>
      <p class="lead">
        Write in Markdown, on as many pages as you need. Share one link to read it. Keep the other to edit it. No account needed.
      </p>
      <QuickForm site={site} rows={3} labelHidden />
      <CreatedLinks />
      <StartButtons quiet />
    </section>
  );
}

/** Filled from local storage by browser/home/home.ts; the server does not know who owns what. */
function SavedNotebooks(): VNode {
  return (
    <section class="saved" aria-labelledby="saved-title" data-saved>
      <h2 id="saved-title" tabindex={-1}>
        Saved in this browser
      </h2>
      <p data-saved-empty>Notebooks you create are listed here. The list stays in this browser and isn’t sent anywhere.</p>
      <noscript>
        <p>The list needs JavaScript. With an edit link you can open any notebook of yours directly.</p>
      </noscript>
      <p class="notice warning" data-saved-blocked hidden>
        This browser keeps nothing for this site, so no list can be shown. Keep your edit links somewhere safe: they are the only
        way back.
      </p>
      <p class="notice warning" data-saved-full hidden>
        This browser’s storage for this site is full or closed: what you create now may not be remembered here. Save the list as a
        file below, and keep new edit links somewhere safe.
      </p>
      <ul class="saved-list" data-saved-list hidden />
      <details class="saved-opened" data-opened hidden>
        <summary>Opened by an edit link, not in the list</summary>
        <ul data-opened-list />
      </details>
      <p class="visually-hidden" role="status" data-saved-status />
      <ListTools />
    </section>
  );
}

/**
 * Hidden when no script runs (start.css): without one it would do nothing. Its fields are disabled until their script runs
 * (browser/home/list-tools.ts).
 */
function ListTools(): VNode {
  return (
    <details class="saved-tools" data-saved-tools>
      <summary>Add a notebook, back up or move the list</summary>
      <fieldset class="stack" disabled>
        <legend class="visually-hidden">The list of this browser</legend>
        <form class="field" data-tool="link" method="dialog">
          <label class="label" for="add-link">
            Add by edit link
          </label>
          <input name="username" type="text" autocomplete="username" hidden />
          <div class="link-field-row">
            <input id="add-link" name="password" type="password" required autocomplete="current-password" />
            <button type="submit" class="button">
              Add to the list
            </button>
          </div>
        </form>
        <div class="field">
          <p class="label">Save the list as a file</p>
          <p class="hint" id="save-list-hint">
            For another browser, or in case this browser’s data is cleared. Anyone with the file can open, change and delete every
            notebook in it. Treat it like a password.
          </p>
          <p>
            <button type="button" class="button" data-tool="save" aria-describedby="save-list-hint">
              Save the list
            </button>
          </p>
        </div>
        <div class="field">
          <label class="label" for="list-file">
            Import a list
          </label>
          <p class="hint" id="list-file-hint">
            Adds to your list. Newer entries, and edit links that work, are kept. Nothing is sent to another site.
          </p>
          <input id="list-file" type="file" accept=".json,application/json" data-tool="file" aria-describedby="list-file-hint" />
        </div>
        <p class="notice" role="status" data-tool="said" />
        <p class="button-row">
          <button type="button" class="button" data-tool="again" hidden>
            Add them all the same
          </button>
        </p>
      </fieldset>
    </details>
  );
}

function HowItWorks(): VNode {
  return (
    <section class="how">
      <h2>How it works</h2>
      <dl>
        <div>
          <dt>The view link</dt>
          <dd>Anyone who has it can read, print and save the pages. Share it freely.</dd>
        </div>
        <div>
          <dt>The edit link</dt>
          <dd>
            Anyone who has it can change and delete the notebook. It is shown once, this browser remembers it, and nobody can
            recover it.
          </dd>
        </div>
        <div>
          <dt>The pages</dt>
          <dd>GitHub Flavored Markdown: tables, task lists, footnotes, alerts, and code in the colors of its language.</dd>
        </div>
      </dl>
    </section>
  );
}
