import { urls } from '../../urls.ts';
import { ApiProblem } from '../api/api-client.ts';
import { getOwnNotebook } from '../api/read-notebook.ts';
import { canStore } from '../device/device-storage.ts';
import { readEditLink } from '../device/edit-link.ts';
import { saveFile } from '../device/save-file.ts';
import { listSavedNotebooks, saveNotebook } from '../device/saved-notebooks.ts';
import { type ListFile, mergedWords, mergeList, openListFile, writeListFile } from './list-file.ts';

/** Wires adding by link, saving the list as a file and importing one (views/home.tsx). */
export function wireListTools(tools: HTMLElement, show: () => void): void {
  const part = <Found extends HTMLElement>(name: string) => tools.querySelector<Found>(`[data-tool="${name}"]`)!;
  const message = part('said');
  const again = part<HTMLButtonElement>('again');
  let pendingFile: ListFile | undefined;
  const showMessage = (words: string, bad = false): void => {
    message.className = bad ? 'notice error' : 'notice';
    message.textContent = words;
    again.hidden = pendingFile === undefined;
  };
  const merge = async (file: ListFile): Promise<void> => {
    pendingFile = undefined;
    const merged = await mergeList(file.notebooks, works);
    show();
    // The button is about to disappear with the question.
    if (document.activeElement === again) part('file').focus();
    showMessage(mergedWords(merged, file.notUnderstood), merged.refused + merged.unsure > 0);
  };

  let adding = false;
  part<HTMLFormElement>('link').addEventListener('submit', async event => {
    event.preventDefault();
    if (adding) return;
    adding = true;
    const field = tools.querySelector<HTMLInputElement>('#add-link')!;
    const pasted = field.value;
    try {
      const title = await addByLink(pasted);
      // Text pasted meanwhile is the next link.
      if (field.value === pasted) field.value = '';
      show();
      showMessage(`${title} is in the list.`);
    } catch (problem) {
      showMessage(sentenceOf(problem), true);
      field.focus();
    }
    adding = false;
  });
  part('save').addEventListener('click', () => {
    const count = listSavedNotebooks().length;
    if (count === 0) return showMessage('There is nothing in the list to save.', true);
    const now = new Date();
    const name = `octavo-notebooks-${localDay(now)}.json`;
    saveFile(name, 'application/json', writeListFile(location.origin, now));
    showMessage(`Saved as ${name}, with ${count === 1 ? 'one notebook' : `${count} notebooks`}. Treat it like a password.`);
  });
  part<HTMLInputElement>('file').addEventListener('change', async event => {
    const field = event.currentTarget as HTMLInputElement;
    const file = field.files?.[0];
    if (!file) return;
    pendingFile = undefined;
    try {
      const read = await openListFile(file);
      if (read.origin === location.origin) await merge(read);
      else askAboutOrigin(read);
    } catch (problem) {
      showMessage(sentenceOf(problem), true);
    }
    field.value = '';
  });
  const askAboutOrigin = (read: ListFile): void => {
    pendingFile = read;
    const from = URL.canParse(read.origin) ? new URL(read.origin).host : 'another site';
    showMessage(
      `That list was saved at ${from}, not here. Add it only if this is the same service under a new address: its edit links will be shown to ${location.host}.`,
      true,
    );
  };
  again.addEventListener('click', () => pendingFile && void merge(pendingFile));
  // Disabled until now, because a click would have done nothing.
  tools.querySelector('fieldset')!.disabled = false;
}

/** `2026-11-27`, by this device's calendar: in the evening the day of UTC may be another one. */
const localDay = (now: Date): string =>
  [now.getFullYear(), now.getMonth() + 1, now.getDate()].map(part => String(part).padStart(2, '0')).join('-');

/** @returns the title of the notebook that is now in the list */
async function addByLink(pasted: string): Promise<string> {
  const editToken = readEditLink(pasted);
  if (editToken === undefined) throw new Error('That is not an edit link. It looks like …/e/ followed by 43 letters and digits.');
  const host = /^https?:\/\/([^/]+)\//i.exec(pasted.trim())?.[1];
  if (host !== undefined && host !== location.host) throw new Error(`That link belongs to ${host}, not to this site.`);
  if (!canStore()) {
    // Nothing can be stored, but the person can still open the notebook.
    location.assign(urls.editByToken(editToken));
    throw new Error('This browser keeps nothing for this site. The editor opens instead.');
  }
  const { slug, title, expiresAt, lifecycle } = await getOwnNotebook(editToken).catch(explain);
  if (!saveNotebook({ slug, title, expiresAt, editToken, savedAt: Date.now(), seen: lifecycle }))
    throw new Error('This browser could not store it: its storage is full.');
  return title;
}

/** Our own error codes decide: an answer from something on the way says nothing. One that was taken down may come back. */
function works(editToken: string): Promise<boolean | undefined> {
  const codes: Record<string, boolean> = { not_found: false, edit_token_invalid: false, taken_down: true };
  return getOwnNotebook(editToken).then(
    () => true,
    problem => (problem instanceof ApiProblem ? codes[problem.code] : undefined),
  );
}

function explain(problem: unknown): never {
  if (problem instanceof ApiProblem && [401, 403, 404].includes(problem.status))
    throw new Error('This edit link no longer works: the notebook is gone, or the link was replaced by a newer one.');
  throw problem;
}

const sentenceOf = (problem: unknown) => (problem instanceof Error ? problem.message : 'Something went wrong.');
