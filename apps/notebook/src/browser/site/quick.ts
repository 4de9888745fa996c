import type { ApiCreated } from '../../api/types.ts';
import { copyWhenReady } from '../device/copy-text.ts';
import { creatingPrefix, keysWithPrefix } from '../device/device-storage.ts';
import { requireElement } from '../ui/require-element.ts';
import { clipboardWords, keepCreated, showCreated, wireCopyButtons } from './created-links.ts';

const form = requireElement<HTMLFormElement>('[data-quick-form]');
const field = requireElement<HTMLTextAreaElement>('textarea[name="markdown"]');
const verbatim = requireElement<HTMLInputElement>('[data-verbatim]');
const verbatimHint = requireElement<HTMLElement>('[data-verbatim-hint]');
const burn = requireElement<HTMLInputElement>('[data-burn]');
const pictureHint = requireElement<HTMLElement>('[data-picture-hint]');
const formError = requireElement<HTMLElement>('[data-form-error]');

/** True once the person has chosen; until then the choice follows the text. */
let chosen = false;

/** Loaded at the first letter, because most visitors of the home page type nothing. */
const readPaste = () =>
  import('./read-paste.ts').catch(() => {
    throw new Error('Part of this page did not load. Try again, or copy your text and reload.');
  });

async function followText(): Promise<void> {
  if (chosen || field.value === '') return;
  const paste = await readPaste().catch(() => {});
  if (!paste || chosen) return;
  verbatimHint.textContent = paste.verbatimHint(field.value);
  verbatim.checked = verbatimHint.textContent !== '';
}

async function create(burns: boolean): Promise<ApiCreated> {
  const text = field.value;
  await followText();
  return (await readPaste()).publish(text, verbatim.checked ? 'code' : 'markdown', burns);
}

async function publish(): Promise<void> {
  const burns = burn.checked;
  const creating = create(burns);
  const copying = copyWhenReady(creating.then(({ editUrl }) => editUrl));
  const created = await creating;
  const kept = keepCreated(created);
  const copied = await copying;
  showCreated(created, kept, form, {
    ...(copied ? { clipboard: clipboardWords('edit') } : {}),
    sentences: [
      ...(copied ? [] : ['Your browser didn’t let us copy the edit link. Copy it from the field below.']),
      ...(kept ? ['This browser remembers it too.'] : []),
      ...(burns ? ['The view link opens once. Opening it yourself uses it up.'] : []),
    ],
    ...(burns ? { viewHint: 'For one reader. It opens once.' } : {}),
  });
}

form.addEventListener('submit', async event => {
  event.preventDefault();
  // The text is already being sent.
  if (field.readOnly) return;
  field.readOnly = true;
  formError.hidden = true;
  try {
    await publish();
  } catch (problem) {
    formError.textContent = (problem as Error).message;
    formError.hidden = false;
  }
  field.readOnly = false;
});

field.addEventListener('input', () => void followText());
field.addEventListener('paste', ({ clipboardData: pasted }) => {
  // Beside a text, spreadsheets put a picture of it on the clipboard.
  const hasPicture = pasted?.getData('text') ? /<img/i.test(pasted.getData('text/html')) : pasted?.files.length;
  pictureHint.textContent = hasPicture ? pictureHint.dataset.pictureHint! : '';
});
verbatim.addEventListener('change', () => {
  chosen = true;
  verbatimHint.textContent = '';
});
form.addEventListener('keydown', event => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.isComposing) {
    event.preventDefault();
    form.requestSubmit();
  }
});
form.querySelector<HTMLButtonElement>('button[type="submit"]')!.disabled = false;
wireCopyButtons();
// A browser that restores the page also restores the text.
void followText();
if (keysWithPrefix(creatingPrefix).length > 0) void readPaste().then(paste => paste.findCreated());
// After a deletion its notice has the focus: a page that comes with a status does not announce it.
const first = document.querySelector<HTMLElement>('main > [role="status"]') ?? field;
if (document.activeElement === document.body) first.focus({ preventScroll: true });
