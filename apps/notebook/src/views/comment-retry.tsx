import { urls } from '../urls.ts';
import { CommentForm, type CommentFormProps } from './comments.tsx';
import { Document, renderDocument } from './document.tsx';
import { LeaveForm } from './leave-form.tsx';
import type { HtmlDocument, Site } from './props.ts';
import { SiteFooter, SiteHeader } from './site-header.tsx';

interface CommentRetryProps extends CommentFormProps {
  /** It has to be unlocked first. */
  readonly locked?: boolean;
}

/** A comment that was refused: the reason, and its text in the form, to be sent again. Shows nothing of the notebook. */
export function renderCommentRetry(site: Site, { locked, ...props }: CommentRetryProps): HtmlDocument {
  return renderDocument(
    <Document site={site} title="The comment was not sent" kind="comment">
      <SiteHeader />
      <main id="main" class="column" tabindex={-1}>
        <h1>The comment was not sent</h1>
        <CommentForm {...props} />
        <p class="button-row">
          <LeaveForm view={urls.view(props.slug)} locked={locked}>
            Back to the notebook
          </LeaveForm>
        </p>
      </main>
      <SiteFooter />
    </Document>,
  );
}
