import type { ApiCreated } from '../../api/types.ts';
import { urls } from '../../urls.ts';
import { copyText } from '../device/copy-text.ts';
import { saveNotebook } from '../device/saved-notebooks.ts';
import { requireElement } from '../ui/require-element.ts';

/** Stores the edit token in this browser. */
export const saveCreated = ({ notebook: { slug, title, expiresAt }, editToken }: ApiCreated): boolean =>
  saveNotebook({ slug, title, editToken, savedAt: Date.now(), expiresAt });

/** Stores it after a click, when the browser may ask the person for persistent storage. */
export function keepCreated(created: ApiCreated): boolean {
  const kept = saveCreated(created);
  // This is the first moment there is something to lose, and it follows a click.
  if (kept) void navigator.storage?.persist?.().catch(() => {});
  // For browser/home/home.ts, because the browser notifies only other tabs.
  dispatchEvent(new StorageEvent('storage'));
  return kept;
}

export interface CreatedWords {
  /** Says in large letters which of the two links is on the clipboard. Absent if neither is. */
  readonly clipboard?: string;
  readonly sentences: readonly string[];
  /** The purpose of the view link, if it is not for all readers. */
  readonly viewHint?: string;
}

/**
 * Fills views/created-links.tsx and moves the focus there. The form above is removed. The view link is one click away.
 * @param kept false: the editor would ask for the edit link, unless its address has it
 */
export function showCreated(
  created: ApiCreated,
  kept: boolean,
  form: HTMLFormElement,
  { clipboard, sentences, viewHint }: CreatedWords,
): void {
  const section = requireElement<HTMLElement>('[data-created]');
  requireElement<HTMLInputElement>('#view-link').value = created.viewUrl;
  requireElement<HTMLInputElement>('#edit-link').value = created.editUrl;
  requireElement<HTMLAnchorElement>('[data-open-view]').href = urls.view(created.notebook.slug);
  requireElement<HTMLAnchorElement>('[data-open-editor]').href = kept ? urls.edit(created.notebook.slug) : created.editUrl;
  if (viewHint !== undefined) requireElement<HTMLElement>('#view-link-hint').textContent = viewHint;
  // The browser gives the form back as it was to a person who returns, and its text would be published once more.
  if (kept) form.reset();
  form.hidden = true;
  section.hidden = false;
  sayClipboard(clipboard);
  requireElement<HTMLElement>('[data-created-status]').textContent = sentences.join(' ');
  requireElement<HTMLElement>('[data-not-kept]').hidden = kept;
  requireElement<HTMLButtonElement>('[data-copy="view-link"]').focus();
}

function sayClipboard(words = ''): void {
  const state = requireElement<HTMLElement>('[data-clipboard-state]');
  state.textContent = words;
  state.hidden = words === '';
}

/** Shown in large letters, because sending the wrong link gives the notebook away. */
export const clipboardWords = (link: 'view' | 'edit') => `Your clipboard has the ${link} link.`;

/** Each button with `data-copy="id"` copies the field with that id and says what happened. */
export function wireCopyButtons(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copy]')) {
    const words = button.textContent;
    button.addEventListener('click', async () => {
      const field = requireElement<HTMLInputElement>(`#${button.dataset.copy}`);
      const copied = await copyText(field.value);
      if (copied) sayClipboard(clipboardWords(button.dataset.copy === 'view-link' ? 'view' : 'edit'));
      else field.select();
      // As press-to-copy.ts, which as a file of its own would cost more bytes than this page has left.
      button.textContent = copied ? 'Copied' : `Press ${/^Mac/.test(navigator.platform) ? '⌘' : 'Ctrl+'}C`;
      setTimeout(() => {
        button.textContent = words;
      }, 2500);
    });
  }
}
