import type { VNode } from 'preact';

/** Above a form that creates a notebook: without a script, its button stays disabled. */
export function NeedsScript(): VNode {
  return (
    <noscript>
      <p class="notice warning">
        Creating a notebook needs JavaScript, because the edit link is kept by your browser. Reading never does.
      </p>
    </noscript>
  );
}
