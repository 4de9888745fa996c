import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { lastPersistence, readPersistence, requestPersistentStorage } from '../../device/persistent-storage.ts';
import { LazyPart } from '../../ui/lazy-part.tsx';
import { sentenceOf } from '../../ui/use-session.ts';
import { PasswordForm } from './password-form.tsx';

const loadQr = async () => (await import('./edit-qr.tsx')).EditQr;

interface KeepEditLinkProps {
  readonly title: string;
  readonly slug: string;
  readonly editLink: string;
}

/** Ways to keep the edit link outside this browser too. It goes only where its owner sends it. */
export function KeepEditLink({ title, slug, editLink }: KeepEditLinkProps): VNode {
  const [showsQr, setShowsQr] = useState(false);
  const [message, setMessage] = useState('');
  const share = async (): Promise<void> => {
    try {
      await navigator.share({ title: `Edit “${title}”`, url: editLink });
    } catch (problem) {
      // Closing the share sheet is no error.
      if (!(problem instanceof DOMException && problem.name === 'AbortError')) setMessage(sentenceOf(problem));
    }
  };
  return (
    <div class="keep-link">
      <p class="button-row">
        <button type="button" class="button" aria-expanded={showsQr} onClick={() => setShowsQr(!showsQr)}>
          Edit on my phone
        </button>
        <a class="button" href={mailOf(title, editLink)}>
          Email me this link
        </a>
        {'share' in navigator && (
          <button type="button" class="button" onClick={() => void share()}>
            Send it to my devices
          </button>
        )}
      </p>
      {showsQr && <LazyPart load={loadQr} props={{ editLink }} />}
      <p class="notice error" role="alert" hidden={message === ''}>
        {message}
      </p>
      <PasswordForm title={title} slug={slug} editLink={editLink} />
      <HowLong />
    </div>
  );
}

/** Has no recipient: the person fills it in in their mail program. */
function mailOf(title: string, editLink: string): string {
  const subject = `Edit link of “${title}”`;
  const body = `${editLink}\n\nAnyone who has this link can change and delete the notebook. Keep it to yourself.`;
  return `mailto:?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(body)}`;
}

/** Says how long the browser promises to keep its own copy. */
function HowLong(): VNode | null {
  const [persistence, setPersistence] = useState(lastPersistence);
  const [asked, setAsked] = useState(false);
  /** True if the browser had not answered at the first render. The answer's space is then reserved, so that no button jumps away. */
  const [isLate] = useState(persistence === undefined);
  useEffect(() => void readPersistence().then(answer => isLate && setPersistence(answer)), []);
  const isKnown = persistence !== undefined && persistence !== 'unknown';
  if (!isKnown && !isLate) return null;
  const offers = persistence === 'may be cleared' && !asked;
  const ask = async (): Promise<void> => {
    setPersistence(await requestPersistentStorage());
    setAsked(true);
  };
  return (
    <div class="keep-lasting">
      <p class={isKnown ? 'hint' : 'hint not-yet'} role="status">
        {promiseWords(persistence === 'lasting', asked)}
      </p>
      {(offers || isLate) && (
        <button type="button" class={offers ? 'button' : 'button not-yet'} onClick={() => void ask()}>
          Ask it not to
        </button>
      )}
    </div>
  );
}

function promiseWords(lasts: boolean, asked: boolean): string {
  if (lasts) return 'This browser keeps the link until you clear this site’s data.';
  return asked
    ? 'This browser made no promise. Keep the link in a second place.'
    : 'This browser may clear the link when it runs out of space.';
}
