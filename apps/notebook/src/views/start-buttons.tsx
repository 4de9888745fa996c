import type { VNode } from 'preact';
import { urls } from '../urls.ts';

/** The two ways to begin. `quiet` when another button comes first. */
export function StartButtons({ quiet = false }: { readonly quiet?: boolean }): VNode {
  return (
    <p class="button-row">
      <a class={quiet ? 'button' : 'button primary'} href={urls.newNotebook()}>
        New notebook
      </a>
      <a class="button" href={urls.quick()}>
        Quick paste
      </a>
    </p>
  );
}
