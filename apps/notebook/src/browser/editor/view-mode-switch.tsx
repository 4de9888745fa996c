import type { VNode } from 'preact';

/** Which parts of the editor are shown. On small screens `split` shows only the text. */
export type ViewMode = 'write' | 'split' | 'read' | 'focus';

export const viewModes: readonly { readonly mode: ViewMode; readonly name: string; readonly key: string }[] = [
  { mode: 'write', name: 'Write', key: '1' },
  { mode: 'split', name: 'Split', key: '2' },
  { mode: 'read', name: 'Read', key: '3' },
  // Focus shows only the text. A second press leaves it.
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
          // On a phone a change of focus brings back the rest of the editor, which would move this button away.
          onMouseDown={event => event.preventDefault()}
          onClick={() => onMode(each.mode)}
        >
          {each.name}
        </button>
      ))}
    </fieldset>
  );
}
