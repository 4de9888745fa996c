import type { RefObject, VNode } from 'preact';
import { insertCodeBlock, toggleBold } from './marks.ts';
import { applyEdit, type FieldText, readField, type TextEdit } from './text-edit.ts';

interface Action {
  readonly name: string;
  readonly keys: string;
  readonly icon: string;
  readonly edit: (field: FieldText) => TextEdit;
}

const actions: readonly Action[] = [
  { name: 'Bold', keys: 'Ctrl+B', icon: 'M7 5h6a3.5 3.5 0 0 1 0 7H7zM7 12h7a3.5 3.5 0 0 1 0 7H7z', edit: toggleBold },
  { name: 'Code block', keys: 'Ctrl+Shift+C', icon: 'M8.5 7L3.5 12l5 5M15.5 7l5 5-5 5', edit: insertCodeBlock },
];

/** Every action goes through `applyEdit`, so the browser's own undo takes it back. */
export function Toolbar({ field }: { field: RefObject<HTMLTextAreaElement | null> }): VNode {
  return (
    <div class="toolbar" role="toolbar" aria-label="Formatting" aria-controls="markdown-field">
      {actions.map(({ name, keys, icon, edit }) => (
        <button
          key={name}
          type="button"
          class="button quiet icon"
          aria-label={name}
          title={`${name} (${keys})`}
          onClick={() => field.current && !field.current.readOnly && applyEdit(field.current, edit(readField(field.current)))}
        >
          <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
            <path d={icon} />
          </svg>
        </button>
      ))}
    </div>
  );
}
