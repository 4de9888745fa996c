import type { VNode } from 'preact';
import type { PlainReason } from '../markdown/rendered.ts';
import type { RenderedPage, ScriptName } from './props.ts';

const reasons: Record<PlainReason, string> = {
  nesting: 'it nests deeper than the service renders',
  'table-width': 'it has a table with more columns than the service renders',
  time: 'it takes too long to render',
  memory: 'it needs too much memory to render',
  output: 'it would become too large when rendered',
  fault: 'the service could not render it',
  busy: 'the service is busy',
};

function plainNotice(reason: PlainReason): string {
  return `This page is shown as plain text, because ${reasons[reason]}.`;
}

/** The notice in a book, which is downloaded already. */
export function bookNotice(reason: PlainReason): string {
  return plainNotice(reason) + (reason === 'busy' ? ' Download the book again in a moment to see the page rendered.' : '');
}

/** For a page that is plain for the moment: browser/site/later.ts asks again, and without a script a link does. */
function PlainNotice({ reason, address }: { readonly reason: PlainReason; readonly address: string | undefined }): VNode {
  const words = plainNotice(reason);
  if (reason !== 'busy') return <p class="notice warning">{words}</p>;
  if (address === undefined)
    return <p class="notice warning">{`${words} Open this print again in a moment to see the page rendered.`}</p>;
  return (
    <p class="notice warning" data-later>
      {words} <span data-later-words /> <a href={address}>Show the rendered page</a>
    </p>
  );
}

/** The script that asks for the rendered page while the text is plain for the moment. */
export const retryScript = ({ plain }: Pick<RenderedPage, 'plain'>): readonly ScriptName[] => (plain === 'busy' ? ['later'] : []);

interface PageBodyProps {
  readonly page: Pick<RenderedPage, 'html' | 'language' | 'direction' | 'plain'>;
  /** Our own HTML that belongs below the page's title. */
  readonly belowTitle?: string | undefined;
  /** The address at which it is read. Absent in a print: that address may be the owner's, which must not appear in a document. */
  readonly address?: string | undefined;
}

/** The rendered text. The renderer, the only place that makes this HTML, has sanitized it. */
export function PageBody({ page, belowTitle, address }: PageBodyProps): VNode {
  const { language, direction } = page;
  return (
    <>
      {page.plain && <PlainNotice reason={page.plain} address={address} />}
      <div
        class="prose"
        lang={language}
        dir={direction}
        dangerouslySetInnerHTML={{ __html: belowTitle ? withBelowTitle(page.html, belowTitle) : page.html }}
      />
    </>
  );
}

/** A text that opens with its title has no separate one, so HTML that belongs below the title goes after that heading. */
function withBelowTitle(html: string, added: string): string {
  const end = html.startsWith('<h1') ? html.indexOf('</h1>') + '</h1>'.length : 0;
  return html.slice(0, end) + added + html.slice(end);
}
