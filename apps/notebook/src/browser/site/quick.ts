import { quickCreate } from '../api/api-client.ts';
import type { ApiCreated } from '../api/api-types.ts';
import { copyText } from '../device/copy-text.ts';
import { need } from '../ui/need.ts';
import { keepCreated, notKept, showCreated, wireCopyButtons } from './created-links.ts';

const form = need<HTMLFormElement>('[data-quick-form]');
const field = need<HTMLTextAreaElement>('textarea[name="markdown"]');
const formError = need<HTMLElement>('[data-form-error]');

async function sentencesAbout(created: ApiCreated): Promise<string[]> {
  const kept = keepCreated(created);
  const copied = await copyText(created.editUrl);
  return [
    copied
      ? 'The edit link was copied to your clipboard.'
      : 'Your browser refused to copy the edit link. Copy it from the field below.',
    kept ? 'This browser remembers it too.' : notKept,
  ];
}

let sending = false;
form.addEventListener('submit', async event => {
  event.preventDefault();
  if (sending) return;
  sending = true;
  formError.hidden = true;
  try {
    const created = await quickCreate(field.value);
    showCreated(created, form, await sentencesAbout(created));
  } catch (problem) {
    formError.textContent = problem instanceof Error ? problem.message : 'Something went wrong.';
    formError.hidden = false;
  }
  sending = false;
});

field.addEventListener('keydown', event => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.isComposing) {
    event.preventDefault();
    form.requestSubmit();
  }
});
wireCopyButtons();
field.focus();
