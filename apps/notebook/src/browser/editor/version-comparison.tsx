import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { compareTexts, type DiffPart } from './text-diff.ts';

interface ComparisonProps {
  readonly earlier: string;
  readonly present: string;
}

/** An earlier text and the present one beside each other; what differs is marked, word by word. */
export function VersionComparison({ earlier, present }: ComparisonProps): VNode {
  const parts = useMemo(() => compareTexts(earlier, present), [earlier, present]);
  if (!parts) return <Side name="This version" parts={[{ text: earlier, kind: 'same' }]} />;
  return (
    <div class="comparison">
      <Side name="This version" parts={parts.filter(part => part.kind !== 'new')} />
      <Side name="The text now" parts={parts.filter(part => part.kind !== 'gone')} />
    </div>
  );
}

function Side({ name, parts }: { name: string; parts: readonly DiffPart[] }): VNode {
  return (
    <section class="comparison-side" aria-label={name}>
      <h3>{name}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <pre tabIndex={0} dir="auto">
        {parts.map(({ text, kind }) => (kind === 'gone' ? <del>{text}</del> : kind === 'new' ? <ins>{text}</ins> : text))}
      </pre>
    </section>
  );
}
