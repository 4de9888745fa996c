import type { NewNotebook } from '../../api/types.ts';
import { firstLine } from '../../model/first-line.ts';
import { ApiProblem, createNotebook } from '../api/api-client.ts';
import { requireElement } from '../ui/require-element.ts';
import { createOnce } from './create-once.ts';
import { keepCreated, showCreated, wireCopyButtons } from './created-links.ts';
import { lockForm } from './lock-form.ts';
import { type SlugVerdict, slugChecker, slugFault, tidySlug } from './slug-check.ts';
import { updateCreated } from './update-created.ts';

const form = requireElement<HTMLFormElement>('[data-new-form]');
const slugField = requireElement<HTMLInputElement>('#slug');
const slugState = requireElement<HTMLElement>('[data-slug-state]');
const formError = requireElement<HTMLElement>('[data-form-error]');

function showVerdict(verdict: SlugVerdict): void {
  slugState.dataset.state = verdict.kind;
  slugField.setAttribute('aria-invalid', String(verdict.kind === 'refused'));
  slugState.textContent = verdictWords(verdict);
}

function verdictWords(verdict: SlugVerdict): string {
  if (verdict.kind === 'empty') return '';
  if (verdict.kind === 'checking') return 'Checking…';
  if (verdict.kind === 'available') return `${verdict.slug} is free.`;
  return verdict.sentence;
}

/** The server uses the first heading as the title. A text without one gets its first line. */
const heading = /^ {0,3}#{1,6}[ \t]|\S\n {0,3}(?:=+|-+)[ \t]*$|<h[1-6]/im;
const titleFromText = (markdown: string) => (heading.test(markdown) ? '' : (firstLine(markdown) ?? ''));

function readForm(): NewNotebook {
  const fields = new FormData(form);
  const text = (name: string) => fields.get(name) as string;
  const slug = tidySlug(text('slug'));
  const markdown = text('markdown');
  const title = text('title').trim() || titleFromText(markdown);
  return {
    ...(title && { title }),
    ...(slug && { slug }),
    paper: text('paper') as NonNullable<NewNotebook['paper']>,
    pages: [{ markdown }],
  };
}

function showProblem(problem: unknown): void {
  const isTooLong = problem instanceof ApiProblem && problem.code === 'too_large';
  formError.textContent = isTooLong ? 'The first page is too long: at most 1 MiB (1,048,576 bytes).' : (problem as Error).message;
  formError.hidden = false;
  if (problem instanceof ApiProblem && problem.code.startsWith('slug_')) {
    showVerdict({ kind: 'refused', sentence: problem.message });
    slugField.focus();
  }
}

const checkTyped = slugChecker(showVerdict);
slugField.addEventListener('input', () => checkTyped(slugField.value));
if (slugField.value !== '') checkTyped(slugField.value);

form.addEventListener('submit', async event => {
  event.preventDefault();
  // It is being sent already.
  if (form.ariaBusy) return;
  const wanted = readForm();
  // The field already says what is wrong. The server would repeat it in the API's words.
  if (wanted.slug && slugFault(wanted.slug)) return slugField.focus();
  formError.hidden = true;
  const unlock = lockForm(form, 'Creating…');
  try {
    // A slug taken by an unanswered try belongs to this notebook, whatever else has changed in the form since.
    const created = await createOnce(wanted.slug ?? '', async (key, again) => {
      const created = await createNotebook(wanted, key);
      return again ? updateCreated(created, wanted) : created;
    });
    const kept = keepCreated(created);
    showCreated(created, kept, form, { sentences: kept ? ['This browser remembers the edit link.'] : [] });
  } catch (problem) {
    showProblem(problem);
  }
  unlock();
});
form.querySelector<HTMLButtonElement>('button[type="submit"]')!.disabled = false;
wireCopyButtons();
