import { urls } from '../urls.ts';
import { CommentForm, type CommentFormProps } from './comments.tsx';
import { Document, renderDocument } from './document.tsx';
import type { HtmlDocument, Site } from './props.ts';
import { SiteFooter, SiteHeader } from './site-header.tsx';

/** A comment that was refused: the reason, and its text in the form, to be sent again. Shows nothing of the notebook. */
export function renderCommentRetry(site: Site, props: CommentFormProps): HtmlDocument {
  return renderDocument(
    <Document site={site} title="The comment was not sent" kind="comment">
      <SiteHeader />
      <main id="main" class="column" tabindex={-1}>
        <h1>The comment was not sent</h1>
        <CommentForm {...props} />
        <p class="button-row">
          <a class="button" href={urls.view(props.slug)}>
            Back to the notebook
          </a>
        </p>
      </main>
      <SiteFooter />
    </Document>,
  );
}
