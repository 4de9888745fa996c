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

interface PageBodyProps {
  readonly page: Pick<RenderedPage, 'html' | 'language' | 'direction' | 'plain'>;
  /** HTML of ours that belongs below the page's own title. */
  readonly belowTitle?: string | undefined;
}

/** The rendered text. It was sanitized by the renderer, which is the only place that makes this html. */
export function PageBody({ page, belowTitle }: PageBodyProps): VNode {
  const { language, direction } = page;
  return (
    <>
      {page.plain && <p class="notice warning">{plainNotice(page.plain)}</p>}
      <div
        class="prose"
        lang={language}
        dir={direction}
        dangerouslySetInnerHTML={{ __html: belowTitle ? withBelowTitle(page.html, belowTitle) : page.html }}
      />
    </>
  );
}

/** A text that opens with its title has no other, so what stands below a title goes behind that heading. */
function withBelowTitle(html: string, added: string): string {
  const end = html.startsWith('<h1') ? html.indexOf('</h1>') + '</h1>'.length : 0;
  return html.slice(0, end) + added + html.slice(end);
}
