import type { VNode } from 'preact';
import type { PlainReason } from '../markdown/rendered.ts';
import type { RenderedPage } from './props.ts';

const reasons: Record<PlainReason, string> = {
  nesting: 'it nests deeper than the service renders',
  'table-width': 'it has a table with more columns than the service renders',
  time: 'it takes too long to render',
  memory: 'it needs too much memory to render',
  output: 'it would become too large when rendered',
  fault: 'the service could not render it',
  busy: 'the service is busy. Reload the page in a moment to see it rendered',
};

export function plainNotice(reason: PlainReason): string {
  return `This page is shown as plain text, because ${reasons[reason]}.`;
}

/** The rendered text. It was sanitized by the renderer, which is the only place that makes this html. */
export function PageBody({ page }: { page: Pick<RenderedPage, 'html' | 'plain'> }): VNode {
  return (
    <>
      {page.plain && <p class="notice warning">{plainNotice(page.plain)}</p>}
      <div class="prose" dangerouslySetInnerHTML={{ __html: page.html }} />
    </>
  );
}
