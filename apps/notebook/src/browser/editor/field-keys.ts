import { indent, outdent } from './indent.ts';
import { insertCodeBlock, toggleBold } from './marks.ts';
import { applyEdit, type FieldText, readField, type TextEdit } from './text-edit.ts';

/** Keys of the writing field. Tab indents; Esc and then Tab goes to the next element, so that nobody is trapped (WCAG 2.1.2). */
export function wireFieldKeys(field: HTMLTextAreaElement): () => void {
  let leaving = false;
  const onKey = (event: KeyboardEvent): void => {
    // Input methods use Tab, Enter and Esc for themselves.
    if (event.isComposing) return;
    if (event.key === 'Escape') {
      leaving = true;
      return;
    }
    if (event.key === 'Tab' && !event.ctrlKey && !event.altKey && !event.metaKey) {
      if (!leaving) pressTab(field, event);
    } else if (event.ctrlKey || event.metaKey) {
      pressShortcut(field, event);
    }
    if (event.key !== 'Shift') leaving = false;
  };
  const stay = (): void => {
    leaving = false;
  };
  field.addEventListener('keydown', onKey);
  field.addEventListener('pointerdown', stay);
  field.addEventListener('focus', stay);
  return () => {
    field.removeEventListener('keydown', onKey);
    field.removeEventListener('pointerdown', stay);
    field.removeEventListener('focus', stay);
  };
}

function pressTab(field: HTMLTextAreaElement, event: KeyboardEvent): void {
  event.preventDefault();
  const edit = (event.shiftKey ? outdent : indent)(readField(field));
  if (edit) applyEdit(field, edit);
}

function pressShortcut(field: HTMLTextAreaElement, event: KeyboardEvent): void {
  const action = shortcuts[`${event.shiftKey ? 'shift+' : ''}${event.key.toLowerCase()}`];
  if (!action || event.altKey) return;
  event.preventDefault();
  applyEdit(field, action(readField(field)));
}

const shortcuts: Record<string, (field: FieldText) => TextEdit> = { b: toggleBold, 'shift+c': insertCodeBlock };
