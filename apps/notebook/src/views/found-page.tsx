import type { ComponentChildren, VNode } from 'preact';
import type { Segment } from '../model/hits.ts';
import { Marked } from './marked.tsx';

interface FoundPageProps {
  readonly href: string;
  readonly title: readonly Segment[];
  readonly snippet: readonly Segment[];
  readonly children?: ComponentChildren;
}

/** A page that contains the words, as a list item: its name, the places found, and what else is known of it. */
export function FoundPage({ href, title, snippet, children }: FoundPageProps): VNode {
  return (
    <li>
      <h3 dir="auto">
        <a href={href}>
          <Marked segments={title} />
        </a>
      </h3>
      {snippet.length > 0 && (
        <p class="result-snippet" dir="auto">
          <Marked segments={snippet} />
        </p>
      )}
      {children}
    </li>
  );
}
