import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import type { ApiNotebook, NotebookChange } from '../../api/types.ts';
import { limits } from '../../limits.ts';
import { momentWords } from '../device/date-words.ts';

type Change = (wanted: NotebookChange) => Promise<void>;

/** Resolves to whether the server accepted the change. */
type Save = (wanted: NotebookChange) => Promise<boolean>;

type Duration = NonNullable<NotebookChange['expiresIn']>;

const durations: Readonly<Record<Duration, string>> = {
  '1h': 'In an hour',
  '1d': 'In a day',
  '7d': 'In a week',
  '30d': 'In 30 days',
  '90d': 'In 90 days',
  '1y': 'In a year',
};

/**
 * A chosen duration becomes a date (spec 1 §2 "expiry"), and choosing again counts from now. It is set by a button, because arrow keys
 * choose each duration on the way, and a person on the way to a week does not want an hour.
 */
export function Expiry({ notebook, change }: { notebook: ApiNotebook; change: Change }): VNode {
  const { expiresAt } = notebook;
  const field = useRef<HTMLSelectElement>(null);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const chosen = field.current?.value ?? '';
    if (chosen === '') return field.current?.focus();
    await change(chosen === 'never' ? { expiresAt: null } : { expiresIn: chosen as Duration });
    // Keeps a newer choice made meanwhile.
    if (field.current?.value === chosen) field.current.value = '';
  };
  return (
    <form class="field" onSubmit={event => void submit(event)}>
      <label class="label" for="setting-expiry">
        Expiry
      </label>
      <p class="hint" id="setting-expiry-now">
        {expiryWords(notebook)}
      </p>
      <div class="link-field-row">
        <select id="setting-expiry" ref={field} aria-describedby="setting-expiry-now">
          <option value="">Leave as it is</option>
          {expiresAt !== null && <option value="never">Never</option>}
          {Object.entries(durations).map(([duration, name]) => (
            <option key={duration} value={duration}>
              {name}
            </option>
          ))}
        </select>
        <button type="submit" class="button">
          Set expiry
        </button>
      </div>
    </form>
  );
}

function expiryWords({ expiresAt, lifecycle }: ApiNotebook): string {
  if (expiresAt === null) return 'It does not expire.';
  const when = momentWords(expiresAt);
  const then = `${limits.graceDays} days later it is deleted, unless you postpone it here.`;
  return lifecycle === 'expired'
    ? `It expired on ${when}. Nobody else can read it, and ${then}`
    : `It expires on ${when}. After that nobody can read it, and ${then}`;
}

/** The password can be set, replaced or removed. It is never shown, because nobody stores it readably. */
export function Password({ hasPassword, save }: { hasPassword: boolean; save: Save }): VNode {
  const field = useRef<HTMLInputElement>(null);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const password = field.current?.value ?? '';
    if (password === '') return field.current?.focus();
    // A refused password stays for correction, and one typed meanwhile is a new one.
    if ((await save({ password })) && field.current?.value === password) field.current.value = '';
  };
  const remove = async (): Promise<void> => {
    // The button disappears with the password.
    if (await save({ password: null })) field.current?.focus();
  };
  return (
    <form class="field" onSubmit={event => void submit(event)}>
      <label class="label" for="setting-password">
        Password
      </label>
      <p class="hint" id="setting-password-now">
        {hasPassword ? 'Readers are asked for the password.' : 'Readers need no password.'}
      </p>
      <div class="link-field-row">
        <input
          ref={field}
          id="setting-password"
          type="password"
          autoComplete="new-password"
          aria-describedby="setting-password-now"
        />
        <button type="submit" class="button">
          {hasPassword ? 'Replace' : 'Set'} password
        </button>
        {hasPassword && (
          <button type="button" class="button" onClick={() => void remove()}>
            Remove password
          </button>
        )}
      </div>
    </form>
  );
}
