import { type Action, actions } from './formatting/actions.ts';
import { continueList } from './formatting/continue-list.ts';
import { indent, outdent } from './formatting/indent.ts';
import { isComposing, isPressed } from './formatting/key-names.ts';
import { applyEdit, readField } from './text/text-edit.ts';

/** Wires the field's keys. Tab indents; Esc followed by Tab moves to the next element, so that nobody is trapped (WCAG 2.1.2). */
export function wireFieldKeys(field: HTMLTextAreaElement): () => void {
  let leaving = false;
  let plainEnter = false;
  const onKey = (event: KeyboardEvent): void => {
    plainEnter = event.shiftKey || event.ctrlKey || event.metaKey || event.altKey;
    if (isComposing(event) || event.defaultPrevented) return;
    if (event.key === 'Escape') {
      leaving = true;
      return;
    }
    if (isTab(event) && !event.ctrlKey && !event.altKey && !event.metaKey) {
      if (!leaving) pressTab(field, event);
    } else pressShortcut(field, event);
    if (event.key !== 'Shift') leaving = false;
  };
  // Uses `beforeinput` and not the key: phones report what happens to the text, but not always which key did it.
  const onBeforeInput = (event: InputEvent): void => {
    const isBreak = event.inputType === 'insertLineBreak' || event.inputType === 'insertParagraph';
    if (!isBreak || plainEnter || event.isComposing || !event.cancelable || field.readOnly) return;
    const edit = continueList(readField(field));
    if (!edit) return;
    event.preventDefault();
    applyEdit(field, edit);
  };
  const stay = (): void => {
    leaving = false;
  };
  const listening = new AbortController();
  const { signal } = listening;
  field.addEventListener('keydown', onKey, { signal });
  field.addEventListener('beforeinput', onBeforeInput, { signal });
  field.addEventListener('pointerdown', stay, { signal });
  field.addEventListener('focus', stay, { signal });
  return () => listening.abort();
}

/** On X11 Shift turns Tab into another key, which WebKit has no name for. */
const isTab = ({ key, code }: KeyboardEvent): boolean => key === 'Tab' || (key === 'Unidentified' && code === 'Tab');

function pressTab(field: HTMLTextAreaElement, event: KeyboardEvent): void {
  // A read-only field leaves Tab to the browser.
  if (field.readOnly) return;
  event.preventDefault();
  const edit = (event.shiftKey ? outdent : indent)(readField(field));
  if (edit) applyEdit(field, edit);
}

function pressShortcut(field: HTMLTextAreaElement, event: KeyboardEvent): void {
  const action = Object.values<Action>(actions).find(({ shortcut }) => shortcut && isPressed(shortcut, event));
  if (!action || field.readOnly) return;
  event.preventDefault();
  applyEdit(field, action.edit(readField(field)));
}
