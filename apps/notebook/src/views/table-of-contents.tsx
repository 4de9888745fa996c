import type { VNode } from 'preact';
import type { Heading } from '../markdown/rendered.ts';
import { titleHint } from './notebook-index.tsx';
import type { RenderedPage } from './props.ts';

interface TableOfContentsProps {
  readonly page: Pick<RenderedPage, 'headings' | 'language'>;
  /** `beside` the sheet on wide screens; folded `inside` it, below the title, on narrow ones. The style sheet shows one of them. */
  readonly place: 'beside' | 'inside';
}

export function TableOfContents({ page, place }: TableOfContentsProps): VNode | null {
  const shown = page.headings.filter(heading => heading.depth <= 4 && heading.text !== '');
  const below = shown[0]?.depth === 1 ? shown.slice(1) : shown;
  if (below.length < 2) return null;
  if (place === 'beside') {
    return (
      <nav class="toc toc-beside" aria-label="On this page">
        <p class="index-title">On this page</p>
        <HeadingList headings={below} language={page.language} clamped />
      </nav>
    );
  }
  return (
    // Inside the text, whose language and direction differ from those of our words.
    <details class="toc toc-inside" lang="en" dir="ltr">
      <summary>On this page</summary>
      <nav aria-label="On this page">
        <HeadingList headings={below} language={page.language} clamped />
      </nav>
    </details>
  );
}

/** Nobody reads a longer list, and drawing one takes long. */
const maxListed = 1_000;

interface HeadingListProps {
  readonly headings: readonly Heading[];
  readonly language?: string | undefined;
  /** Three lines are shown of each heading; on paper all of it. */
  readonly clamped?: boolean;
}

/** Flat on purpose: writers skip levels, and a nested list with skipped levels is read out as empty items. */
export function HeadingList({ headings: all, language, clamped = false }: HeadingListProps): VNode {
  const headings = all.slice(0, maxListed);
  const top = Math.min(...headings.map(heading => heading.depth));
  return (
    <ul lang={language}>
      {headings.map(heading => (
        <li key={heading.id} data-depth={heading.depth - top + 1}>
          <a href={`#${heading.id}`} dir="auto" title={clamped ? titleHint(heading.text) : undefined}>
            {clamped ? <span>{heading.text}</span> : heading.text}
          </a>
        </li>
      ))}
    </ul>
  );
}
