import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { sentenceOf } from '../../ui/use-session.ts';

/** The system's share sheet, on phones and on desktops that have one. */
export function ShareViewLink({ title, viewLink }: { title: string; viewLink: string }): VNode | null {
  const [message, setMessage] = useState('');
  if (!('share' in navigator)) return null;
  const share = async (): Promise<void> => {
    setMessage('');
    try {
      await navigator.share({ title, url: viewLink });
    } catch (problem) {
      // Closing the share sheet is no error.
      if (!(problem instanceof DOMException && problem.name === 'AbortError')) setMessage(sentenceOf(problem));
    }
  };
  return (
    <>
      <p class="button-row">
        <button type="button" class="button" onClick={() => void share()}>
          Send view link
        </button>
      </p>
      <p class="notice error" role="alert" hidden={message === ''}>
        {message}
      </p>
    </>
  );
}
