import type { VNode } from 'preact';

/** What of the desk is shown. On small screens `split` is the text alone. */
export type Look = 'write' | 'split' | 'read';

export const looks: readonly { readonly look: Look; readonly name: string; readonly key: string }[] = [
  { look: 'write', name: 'Write', key: '1' },
  { look: 'split', name: 'Split', key: '2' },
  { look: 'read', name: 'Read', key: '3' },
];

export function LookSwitch({ look, onLook }: { look: Look; onLook: (look: Look) => void }): VNode {
  return (
    <fieldset class="look-switch">
      <legend class="visually-hidden">Write or read</legend>
      {looks.map(each => (
        <button
          key={each.look}
          type="button"
          class="button"
          data-look={each.look}
          aria-pressed={look === each.look}
          aria-keyshortcuts={`Control+Shift+${each.key}`}
          title={`${each.name} (Ctrl+Shift+${each.key})`}
          onClick={() => onLook(each.look)}
        >
          {each.name}
        </button>
      ))}
    </fieldset>
  );
}
