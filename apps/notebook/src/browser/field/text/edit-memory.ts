import type { FieldText, TextEdit } from './field-text.ts';

/** An edit and the selection before it. The texts before and after are recognized by their length and the changed part. */
interface Remembered {
  readonly edit: TextEdit;
  readonly replaced: string;
  readonly lengthBefore: number;
  readonly start: number;
  readonly end: number;
}

const kept = 200;
const memories = new WeakMap<HTMLTextAreaElement, Remembered[]>();

/** Remembers the selection, because browsers select what an undone edit had replaced, often more than the person had selected. */
export function rememberEdit(field: HTMLTextAreaElement, { text, start, end }: FieldText, edit: TextEdit): void {
  const memory = memories.get(field) ?? [];
  memory.push({ edit, replaced: text.slice(edit.from, edit.to), lengthBefore: text.length, start, end });
  memories.set(field, memory.slice(-kept));
}

/** After undo, restores the selection from before the edit; after redo, the one the edit made. */
export function wireEditMemory(field: HTMLTextAreaElement): () => void {
  const onInput = (event: Event): void => {
    const { inputType } = event as InputEvent;
    if (inputType !== 'historyUndo' && inputType !== 'historyRedo') return;
    const selection = findSelection(field, inputType === 'historyUndo');
    if (selection) field.setSelectionRange(selection.start, selection.end);
  };
  field.addEventListener('input', onInput);
  return () => field.removeEventListener('input', onInput);
}

/** Finds the edit that was just undone or redone: the newest one that fits the text. */
function findSelection(field: HTMLTextAreaElement, undone: boolean): { start: number; end: number } | undefined {
  const text = field.value;
  const found = memories.get(field)?.findLast(({ edit, replaced, lengthBefore }) => {
    const [length, part] = undone ? [lengthBefore, replaced] : [lengthBefore - replaced.length + edit.insert.length, edit.insert];
    return text.length === length && text.startsWith(part, edit.from);
  });
  return found && (undone ? found : found.edit);
}
