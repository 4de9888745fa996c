import type { VNode } from 'preact';
import { limits } from '../limits.ts';

/** Above a notebook that opens once: how long it stays, and a button to keep its text (browser/site/once.ts). */
export function ReadOnce({ until, markdown }: { readonly until: number; readonly markdown: string }): VNode {
  return (
    <div class="read-once" data-once={until} data-once-markdown={markdown}>
      <p>
        Only you can read this, for {limits.readerCookieMinutes} minutes. <span data-once-left />
      </p>
      <button type="button" class="button" data-once-copy disabled>
        Copy the text
      </button>
      <p class="visually-hidden" role="status" data-once-said />
    </div>
  );
}
