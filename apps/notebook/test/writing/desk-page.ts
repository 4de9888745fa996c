import { wireFieldKeys } from '../../src/browser/field/field-keys.ts';
import { wireEditMemory } from '../../src/browser/field/text/edit-memory.ts';
import type { FieldText } from '../../src/browser/field/text/field-text.ts';

/** A writing field alone, with what listens at it, for tests in browsers. */
export function setDesk({ text, start, end }: FieldText): void {
  const field = document.createElement('textarea');
  document.body.replaceChildren(button('before'), field, button('after'));
  wireFieldKeys(field);
  wireEditMemory(field);
  field.focus();
  document.execCommand('insertText', false, text);
  field.setSelectionRange(start, end);
}

function button(words: string): HTMLButtonElement {
  const made = document.createElement('button');
  made.textContent = words;
  return made;
}

Object.assign(globalThis, { setDesk });
