import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { compareTexts, type DiffPart } from '../merge/text-diff.ts';

interface ComparisonProps {
  readonly earlier: string;
  readonly present: string;
  readonly names?: readonly [earlier: string, present: string];
}

/** An earlier text and the current one side by side, with differences marked word by word. */
export function VersionComparison({ earlier, present, names = ['This version', 'The text now'] }: ComparisonProps): VNode {
  const parts = useMemo(() => compareTexts(earlier, present), [earlier, present]);
  const sides = parts ?? [
    { text: earlier, kind: 'gone' },
    { text: present, kind: 'new' },
  ];
  return (
    <div class="comparison">
      <Side name={names[0]} parts={sides.filter(part => part.kind !== 'new')} />
      <Side name={names[1]} parts={sides.filter(part => part.kind !== 'gone')} />
    </div>
  );
}

function Side({ name, parts }: { name: string; parts: readonly DiffPart[] }): VNode {
  return (
    <section class="comparison-side" aria-label={name}>
      <h3>{name}</h3>
      {parts.every(({ text }) => text === '') ? <p class="hint">No text</p> : <Text parts={parts} />}
    </section>
  );
}

function Text({ parts }: { parts: readonly DiffPart[] }): VNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <pre tabIndex={0} dir="auto">
      {parts.map(({ text, kind }) => (kind === 'gone' ? <del>{text}</del> : kind === 'new' ? <ins>{text}</ins> : text))}
    </pre>
  );
}
