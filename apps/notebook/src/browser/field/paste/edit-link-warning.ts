import { urls } from '../../../urls.ts';
import type { FieldContext, FieldWiring } from '../text/field-wiring.ts';
import { replaceAll } from '../text/text-edit.ts';
import { hasConsented } from './edit-link-consent.ts';

/** An address that contains an edit token, on this or another Octavo service. */
const editLink = /(?:https?:\/\/[^\s/<>()[\]]{1,255})?\/e\/([\w-]{43})(?![\w-])/g;

/** Shorter insertions are typed, not pasted. A token has 43 characters. */
const shortestPaste = 40;

/**
 * Warns about an edit link in the text: everybody who reads it on a page owns the notebook it opens. The text is not refused, because
 * the writer may know why, but the warning is shown at once and offers a way out.
 */
export const warnOfEditLinks: FieldWiring = (field, context) => {
  let notice: HTMLElement | undefined;
  const close = (): void => {
    notice?.remove();
    notice = undefined;
  };
  const onInput = (event: Event): void => {
    const found = field.value.includes('/e/') && field.value.match(editLink) !== null;
    if (!found) close();
    else if (!notice && !hasConsented(field) && isInsertion(event as InputEvent)) {
      notice = createNotice(field, context, close);
      document.body.append(notice);
    }
  };
  const unlisten = context.session.listen(() => context.session.current !== context.page && close());
  field.addEventListener('input', onInput);
  return () => {
    close();
    unlisten();
    field.removeEventListener('input', onInput);
  };
};

const isInsertion = ({ inputType = '', data }: InputEvent) =>
  inputType.startsWith('insertFrom') || (data ?? '').length >= shortestPaste;

function createNotice(field: HTMLTextAreaElement, { session }: FieldContext, close: () => void): HTMLElement {
  const notice = document.createElement('div');
  notice.className = 'edit-link-warning notice warning';
  notice.setAttribute('role', 'alert');
  const words = document.createElement('p');
  words.textContent = 'There is an edit link in this text. Anyone who reads it can change and delete that notebook.';
  const viewLink = location.origin + urls.view(session.slug);
  const take = createButton('Take it out', () => {
    replaceAll(
      field,
      field.value.replace(editLink, (_, token: string) => (token === session.editToken ? viewLink : '')),
    );
    close();
    field.focus();
  });
  const leave = createButton('Leave it in', () => {
    close();
    field.focus();
  });
  notice.append(words, take, leave);
  return notice;
}

function createButton(words: string, press: () => void): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'button';
  button.textContent = words;
  button.addEventListener('click', press);
  return button;
}
