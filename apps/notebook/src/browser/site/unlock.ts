import { requireElement } from '../ui/require-element.ts';

/**
 * The server never learns which heading a link names. The form's answer leads to the view without a fragment, and there the browser keeps
 * that of the form's own address (Fetch §4.4), also while the form comes again.
 */
const form = requireElement<HTMLFormElement>('[data-unlock]');
form.addEventListener('submit', () => {
  form.action = form.action.replace(/#.*/, '') + location.hash;
});
