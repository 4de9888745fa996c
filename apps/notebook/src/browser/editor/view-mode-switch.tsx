import type { VNode } from 'preact';

/** What of the editor is shown. On small screens `split` is the text alone. */
export type ViewMode = 'write' | 'split' | 'read' | 'focus';

export const viewModes: readonly { readonly mode: ViewMode; readonly name: string; readonly key: string }[] = [
  { mode: 'write', name: 'Write', key: '1' },
  { mode: 'split', name: 'Split', key: '2' },
  { mode: 'read', name: 'Read', key: '3' },
  // The text and nothing else; a second press leaves it.
  { mode: 'focus', name: 'Focus', key: '4' },
];

export function ViewModeSwitch({ mode, onMode }: { mode: ViewMode; onMode: (mode: ViewMode) => void }): VNode {
  return (
    <fieldset class="view-mode-switch">
      <legend class="visually-hidden">Write or read</legend>
      {viewModes.map(each => (
        <button
          key={each.mode}
          type="button"
          class="button"
          data-view-mode={each.mode}
          aria-pressed={mode === each.mode}
          aria-keyshortcuts={`Control+Shift+${each.key}`}
          title={`${each.name} (Ctrl+Shift+${each.key})`}
          // On a phone the rest of the editor comes back with the focus, and this button would be somewhere else by then.
          onMouseDown={event => event.preventDefault()}
          onClick={() => onMode(each.mode)}
        >
          {each.name}
        </button>
      ))}
    </fieldset>
  );
}
