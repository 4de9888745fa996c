const choices = 'input:is([type="radio"], [type="checkbox"])';

/**
 * Locks a form while it is being sent, because it disappears afterwards with anything typed or chosen meanwhile. The focus stays.
 * @returns a function that unlocks the form
 */
export function lockForm(form: HTMLFormElement, words: string): () => void {
  const button = form.querySelector<HTMLButtonElement>('button[type="submit"]')!;
  const before = button.textContent;
  const fields = [...form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(`textarea, input:not(${choices})`)];
  const setReadOnly = (readOnly: boolean): void => {
    for (const field of fields) field.readOnly = readOnly;
  };
  const keepChoice = (event: Event): void => {
    if ((event.target as Element).matches(choices)) event.preventDefault();
  };
  form.ariaBusy = 'true';
  button.textContent = words;
  setReadOnly(true);
  form.addEventListener('click', keepChoice);
  return () => {
    form.ariaBusy = null;
    button.textContent = before;
    setReadOnly(false);
    form.removeEventListener('click', keepChoice);
  };
}
