import type { VNode } from 'preact';
import { urls } from '../urls.ts';

/** The two ways to begin. */
export function StartButtons(): VNode {
  return (
    <p class="button-row">
      <a class="button primary" href={urls.newNotebook()}>
        New notebook
      </a>
      <a class="button" href={urls.quick()}>
        Quick paste
      </a>
    </p>
  );
}
