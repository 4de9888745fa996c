import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { readEditLink } from '../device/edit-link.ts';

interface EditLinkFormProps {
  readonly problem: string | undefined;
  readonly onToken: (editToken: string) => void;
}

/** Asks for the edit link if the browser has none. */
export function EditLinkForm({ problem, onToken }: EditLinkFormProps): VNode {
  /** The fault of what is in the field now; `problem` belongs to the link tried before. */
  const [typed, setTyped] = useState<string>();
  const fault = typed ?? problem;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const field = (event.currentTarget as HTMLFormElement).elements.namedItem('edit-link') as HTMLInputElement;
    const editToken = readEditLink(field.value);
    if (editToken) {
      setTyped(undefined);
      onToken(editToken);
    } else {
      setTyped('That is not an edit link. It looks like …/e/ followed by 43 letters and digits.');
      field.focus();
    }
  };
  return (
    <main id="main" class="column" tabIndex={-1}>
      <h1>Open with the edit link</h1>
      {fault ? (
        <p class="notice warning" role="alert">
          {fault}
        </p>
      ) : (
        <p class="lead">
          This browser does not know the edit link of this notebook. Paste it here, or let your password manager fill it in. It is
          then remembered.
        </p>
      )}
      {/* A sign-in form, so that a password manager fills in what the share panel saved. It sends nothing. */}
      <form class="stack" method="dialog" onSubmit={submit}>
        <input name="username" type="text" autoComplete="username" hidden />
        <div class="field">
          <label class="label" for="edit-link">
            Edit link
          </label>
          <input id="edit-link" name="edit-link" type="password" required autoComplete="current-password" />
        </div>
        <p class="button-row">
          <button type="submit" class="button primary">
            Open the editor
          </button>
        </p>
      </form>
    </main>
  );
}
