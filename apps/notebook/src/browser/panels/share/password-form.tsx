import type { VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { offerToPasswordManager } from '../../device/password-manager.ts';
import { listKeptNotebooks } from '../../device/saved-notebooks.ts';

interface PasswordFormProps {
  readonly title: string;
  readonly slug: string;
  readonly editLink: string;
}

/**
 * A sign-in form that password managers recognize: the title is the user name, the edit link the password. `method="dialog"` makes sure
 * that nothing is sent even if the script failed.
 */
export function PasswordForm({ title, slug, editLink }: PasswordFormProps): VNode {
  const [message, setMessage] = useState('');
  const [sent, setSent] = useState(0);
  const [chosen, setChosen] = useState(() => ownName(title, slug));
  const button = useRef<HTMLButtonElement>(null);
  // The submitted form is replaced and the focus lost with it, unless the person moved it elsewhere.
  useLayoutEffect(() => {
    if (sent > 0 && document.activeElement === document.body) button.current?.focus();
  }, [sent]);
  const save = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    // Emptied first, because the same words twice would be announced only once.
    setMessage('');
    const form = event.currentTarget as HTMLFormElement;
    const [name, link] = ['username', 'password'].map(field => form.elements.namedItem(field) as HTMLInputElement);
    // Restores the link if something was typed over it.
    link!.value = editLink;
    const asks = await offerToPasswordManager(name!.value.trim() || title, editLink).catch(() => false);
    // Keeps a name typed while the browser asked.
    setChosen(name!.value.trim() || title);
    setMessage(
      asks
        ? 'Your browser asks whether to save it. Its password manager fills it in when a page here asks for the edit link.'
        : 'If your browser or its password manager asks, let it save. If it doesn’t ask, copy the link into it.',
    );
    // The form is replaced, because password managers take a form that disappears as accepted.
    setSent(count => count + 1);
  };
  return (
    <details class="keep-password">
      <summary>Save it in a password manager</summary>
      <form key={sent} class="stack" method="dialog" onSubmit={event => void save(event)}>
        <div class="field">
          <label class="label" for="keep-username">
            User name
          </label>
          <input
            id="keep-username"
            name="username"
            type="text"
            autoComplete="username"
            required
            dir="auto"
            defaultValue={chosen}
          />
        </div>
        <div class="field">
          <label class="label" for="keep-password">
            Password: the link itself
          </label>
          <input
            id="keep-password"
            name="password"
            type="password"
            autoComplete="new-password"
            required
            defaultValue={editLink}
          />
        </div>
        <p>
          <button ref={button} type="submit" class="button">
            {sent > 0 ? 'Save again' : 'Save'}
          </button>
        </p>
      </form>
      <p class="notice" role="status">
        {message}
      </p>
    </details>
  );
}

/** Password managers keep one password per name. A second notebook with the same title must not replace the first. */
function ownName(title: string, slug: string): string {
  const isTaken = listKeptNotebooks().some(other => other.slug !== slug && other.title === title);
  return isTaken ? `${title} (${slug})` : title;
}
