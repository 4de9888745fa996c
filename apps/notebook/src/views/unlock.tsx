import { urls } from '../urls.ts';
import { Document, renderDocument } from './document.tsx';
import type { HtmlDocument, Site } from './props.ts';
import { SiteFooter, SiteHeader } from './site-header.tsx';

export interface UnlockProps {
  readonly slug: string;
  /** The page that was asked for, by its id or its words; absent: the notebook. */
  readonly pageId?: string | undefined;
  /** The error of the last attempt. */
  readonly problem?: string | undefined;
}

/** For people who see the link in a chat: nothing of the notebook. */
const description = 'Opens with a password.';

/** Asks for the password and reveals nothing of title or text. Works without a script. */
export function renderUnlock(site: Site, { slug, pageId, problem }: UnlockProps): HtmlDocument {
  return renderDocument(
    <Document
      site={site}
      title="Locked notebook"
      card={{ path: urls.view(slug), title: 'A locked notebook', description }}
      scripts={['unlock']}
      kind="unlock"
    >
      <SiteHeader />
      <main id="main" class="column" tabindex={-1}>
        <h1>This notebook is locked</h1>
        <p class="lead">
          The person who sent you the link can tell you the password. It stays open in this browser for 24 hours.
        </p>
        <form class="stack" method="post" action={urls.api.unlock(slug)} data-unlock>
          {problem && (
            <p class="notice error" role="alert" id="unlock-problem">
              {problem}
            </p>
          )}
          {pageId && <input type="hidden" name="pageId" value={pageId} />}
          <label class="field">
            <span class="label">Password</span>
            <input
              type="password"
              name="password"
              required
              autofocus
              autocomplete="current-password"
              maxLength={72}
              aria-invalid={problem ? 'true' : undefined}
              aria-describedby={problem ? 'unlock-problem' : undefined}
            />
          </label>
          <p class="button-row">
            <button type="submit" class="button primary">
              Unlock
            </button>
            {/* Shown if this browser keeps the edit link (browser/site/theme.ts); the bytes are the same for everybody. */}
            <a class="button own-edit" href={urls.edit(slug)} rel="nofollow">
              Open the editor
            </a>
          </p>
        </form>
      </main>
      <SiteFooter />
    </Document>,
  );
}
