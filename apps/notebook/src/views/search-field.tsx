import type { VNode } from 'preact';
import { limits } from '../limits.ts';

interface SearchFieldProps {
  readonly action: string;
  readonly label: string;
  readonly button: string;
  readonly query: string;
  /** The error in a sentence; `inQuery` when the words themselves caused it. */
  readonly fault?: { readonly sentence: string; readonly inQuery: boolean } | undefined;
}

/** A form that searches by its address, so that no script is needed. */
export function SearchField({ action, label, button, query, fault }: SearchFieldProps): VNode {
  return (
    <search>
      <form class="field" action={action} method="get">
        <label class="label" for="q">
          {label}
        </label>
        <div class="search-row">
          <input
            id="q"
            name="q"
            type="search"
            value={query}
            required
            maxlength={limits.maxSearchQueryChars}
            dir="auto"
            autocomplete="off"
            autocapitalize="none"
            enterkeyhint="search"
            aria-invalid={fault?.inQuery ? 'true' : undefined}
            aria-describedby={fault?.inQuery ? 'search-fault' : undefined}
          />
          <button type="submit" class="button primary">
            {button}
          </button>
        </div>
        {fault && (
          <p class="notice error" role="alert" id="search-fault">
            {fault.sentence}
          </p>
        )}
      </form>
    </search>
  );
}
