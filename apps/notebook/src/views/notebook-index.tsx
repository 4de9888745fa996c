import type { VNode } from 'preact';
import type { ViewProps } from './props.ts';

/** Twice in the document but shown once: as a plain list beside the sheet, and folded above it on phones. Neither needs a script. */
export function NotebookIndex({ notebook, pages }: Pick<ViewProps, 'notebook' | 'pages'>): VNode | null {
  if (pages.length < 2) return null;
  const position = pages.findIndex(page => page.current) + 1;
  return (
    <>
      <nav class="index index-beside" aria-label="Pages">
        <p class="index-title" dir="auto">
          {notebook.title}
        </p>
        <PageList pages={pages} />
      </nav>
      <details class="index index-above">
        <summary>
          Page {position} of {pages.length}
        </summary>
        <nav aria-label="Pages">
          <PageList pages={pages} />
        </nav>
      </details>
    </>
  );
}

/** The narrowest place shows more than this in three lines. */
const shownChars = 50;

/** The whole title, where a link may show only three lines of it. */
export const titleHint = (title: string): string | undefined => (title.length > shownChars ? title : undefined);

function PageList({ pages }: Pick<ViewProps, 'pages'>): VNode {
  return (
    <ol>
      {pages.map(page => (
        <li key={page.id}>
          <a href={page.href} dir="auto" aria-current={page.current ? 'page' : undefined} title={titleHint(page.title)}>
            <span>{page.title}</span>
          </a>
        </li>
      ))}
    </ol>
  );
}
