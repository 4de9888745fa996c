import type { VNode } from 'preact';
import type { Segment } from '../model/hits.ts';

/** A text with its search hits marked. */
export function Marked({ segments }: { segments: readonly Segment[] }): VNode {
  return <>{segments.map(({ text, hit }) => (hit ? <mark>{text}</mark> : text))}</>;
}
