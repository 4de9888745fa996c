import { urls } from '../../urls.ts';
import type { ApiCreated } from '../api/api-types.ts';
import { copyText } from '../device/copy-text.ts';
import { saveNotebook } from '../device/saved-notebooks.ts';
import { need } from '../ui/need.ts';

/** Keeps the edit token in this browser. */
export function keepCreated({ notebook, editToken }: ApiCreated): boolean {
  return saveNotebook({
    slug: notebook.slug,
    title: notebook.title,
    editToken,
    savedAt: Date.now(),
    expiresAt: notebook.expiresAt,
  });
}

/** Fills views/created-links.tsx and moves there; the form above is done and goes away. */
export function showCreated(created: ApiCreated, form: HTMLFormElement, sentences: readonly string[]): void {
  const section = need<HTMLElement>('[data-created]');
  need<HTMLInputElement>('#view-link').value = created.viewUrl;
  need<HTMLInputElement>('#edit-link').value = created.editUrl;
  need<HTMLAnchorElement>('[data-open-view]').href = urls.view(created.notebook.slug);
  need<HTMLAnchorElement>('[data-open-editor]').href = urls.edit(created.notebook.slug);
  form.hidden = true;
  section.hidden = false;
  need<HTMLElement>('#created-title').focus();
  need<HTMLElement>('[data-created-status]').textContent = sentences.join(' ');
}

export const notKept =
  'This browser did not keep the edit link. Copy it now and put it somewhere safe: without it nobody can change this notebook again.';

/** Every button `data-copy="id"` copies the field with that id and says what happened. */
export function wireCopyButtons(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copy]')) {
    const words = button.textContent;
    button.addEventListener('click', async () => {
      const field = need<HTMLInputElement>(`#${button.dataset.copy}`);
      const copied = await copyText(field.value);
      if (!copied) field.select();
      button.textContent = copied ? 'Copied' : 'Press Ctrl+C';
      setTimeout(() => {
        button.textContent = words;
      }, 2500);
    });
  }
}
