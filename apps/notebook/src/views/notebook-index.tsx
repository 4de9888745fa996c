import type { VNode } from 'preact';
import type { ViewProps } from './props.ts';

/** Twice in the document but shown once: as a plain list beside the sheet, and folded above it on phones. Neither needs a script. */
export function NotebookIndex({ notebook, pages }: Pick<ViewProps, 'notebook' | 'pages'>): VNode | null {
  if (pages.length < 2) return null;
  const position = pages.findIndex(page => page.current) + 1;
  return (
    <>
      <nav class="index index-beside" aria-label="Pages">
        <p class="index-title" dir="auto" title={titleHint(notebook.title)}>
          <span>{notebook.title}</span>
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

/** The narrowest place shows more than this in three lines. Letters of Chinese, Japanese and Korean count twice, as wide as they are. */
const shownChars = 50;
/** Browsers cut longer hints, and a heading may have a million letters. */
const maxHintChars = 1_000;

const widthOf = (title: string): number => title.length + (title.match(/[\u1100-\uffdc]/g)?.length ?? 0);

/** The whole title, where only three lines of it may be shown. */
export const titleHint = (title: string): string | undefined =>
  title.length <= maxHintChars && widthOf(title) > shownChars ? title : undefined;

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
