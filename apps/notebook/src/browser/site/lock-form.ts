const choices = 'input:is([type="radio"], [type="checkbox"])';

/**
 * While a form is sent, nothing is typed or chosen in it: once it is done, it goes away. The focus stays where it is.
 * @returns what gives the form back as it was
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
