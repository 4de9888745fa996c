import type { VNode } from 'preact';
import type { ReportReason } from '../model/report.ts';
import { urls } from '../urls.ts';
import { Document, renderDocument } from './document.tsx';
import { LeaveForm } from './leave-form.tsx';
import type { HtmlDocument, Site } from './props.ts';
import { SiteFooter, SiteHeader } from './site-header.tsx';

export interface ReportProps {
  readonly slug: string;
  /** The report has just been sent. */
  readonly sent?: boolean;
  /** The error of the last attempt; the fields below hold what was entered. */
  readonly problem?: string | undefined;
  /** It has to be unlocked first. */
  readonly locked?: boolean | undefined;
  readonly reason?: string | undefined;
  readonly detail?: string | undefined;
}

const reasons: Readonly<Record<ReportReason, string>> = {
  spam: 'Spam or advertising',
  phishing: 'It asks for passwords or pretends to be someone else',
  malware: 'It spreads harmful software',
  illegal: 'It is against the law',
  privacy: 'It shows someone’s private information',
  other: 'Something else',
};

/** The form for a report to the operator. It works without a script and shows nothing of the notebook. */
export function renderReport(site: Site, props: ReportProps): HtmlDocument {
  return renderDocument(
    <Document site={site} title={props.sent ? 'Report sent' : 'Report a notebook'} kind="report">
      <SiteHeader />
      <main id="main" class="column" tabindex={-1}>
        {props.sent ? <Thanks {...props} /> : <ReportForm {...props} />}
      </main>
      <SiteFooter />
    </Document>,
  );
}

function Thanks({ slug }: ReportProps): VNode {
  return (
    <>
      <h1>Thank you</h1>
      <p class="lead">Your report has reached the operator of this server, who decides what happens to the notebook.</p>
      <p class="button-row">
        <a class="button" href={urls.view(slug)}>
          Back to the notebook
        </a>
      </p>
    </>
  );
}

function ReportForm({ slug, problem, locked, reason, detail }: ReportProps): VNode {
  return (
    <>
      <h1>Report this notebook</h1>
      <p class="lead">
        The report goes to the operator of this server, not to the writer of the notebook. Neither your name nor your address is
        kept with it.
      </p>
      <form class="stack" method="post" action={urls.api.reports(slug)}>
        {problem && (
          <p class="notice error" role="alert" id="report-problem">
            {problem}
          </p>
        )}
        <label class="field">
          <span class="label">What is wrong with it?</span>
          <select name="reason" required>
            <option value="">Please choose</option>
            {Object.entries(reasons).map(([value, label]) => (
              <option key={value} value={value} selected={value === reason}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span class="label">What should the operator know? (optional)</span>
          <textarea name="detail" rows={5} aria-describedby={problem ? 'report-problem' : undefined}>
            {detail}
          </textarea>
        </label>
        <p class="button-row">
          <button type="submit" class="button primary">
            Send the report
          </button>
          <LeaveForm view={urls.view(slug)} locked={locked}>
            Back
          </LeaveForm>
        </p>
      </form>
    </>
  );
}
