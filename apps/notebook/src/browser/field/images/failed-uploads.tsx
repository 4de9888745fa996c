import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { readField } from '../text/text-edit.ts';
import type { FailedUpload, ImageUploads } from './image-uploads.ts';
import { keepFocus } from './keep-focus.ts';

interface FailedProps {
  readonly failed: readonly FailedUpload[];
  readonly uploads: ImageUploads;
}

/** All images that did not arrive, in one message: ten alerts one above the other would cover the text. */
export function FailedUploads({ failed, uploads }: FailedProps): VNode {
  const [message, setMessage] = useState('');
  const toRetry = failed.filter(({ state }) => state.canRetry);
  const retry = (): void => {
    const { field, acceptsText } = uploads.places;
    if (!field || !acceptsText) {
      setMessage('The page takes no changes right now.');
      return;
    }
    setMessage('');
    for (const { id } of toRetry) uploads.dismiss(id);
    const { end } = readField(field);
    const files = toRetry.map(({ file }) => file);
    uploads.add(files, { from: end, to: end });
  };
  const dismiss = (): void => failed.forEach(({ id }) => void uploads.dismiss(id));
  return (
    <div class="upload notice error">
      <div class="failed-uploads">
        {failed.length > 1 && <p>{failed.length} images were not added:</p>}
        {/* Not atomic, so that each image is announced once, not with all before it. */}
        <div role="alert" aria-atomic="false">
          <ul>
            {failed.map(({ id, name, state }) => (
              <li key={id}>
                <strong dir="auto">{name}</strong>: {failed.length > 1 ? (state.detail ?? state.reason) : state.reason}
              </li>
            ))}
          </ul>
        </div>
      </div>
      {toRetry.length > 0 && (
        <button type="button" class="button quiet" aria-label={`Try again: ${namesOf(toRetry)}`} onClick={retry}>
          Try again
        </button>
      )}
      <span role="status">{message}</span>
      <button
        type="button"
        class="button quiet"
        aria-label={`Dismiss the message about ${namesOf(failed)}`}
        onClick={() => keepFocus(uploads, dismiss)}
      >
        Dismiss
      </button>
    </div>
  );
}

function namesOf(failed: readonly FailedUpload[]): string {
  return failed.length === 1 ? failed[0]!.name : `${failed.length} images`;
}
