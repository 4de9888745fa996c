import type { VNode } from 'preact';
import { useLayoutEffect, useReducer, useState } from 'preact/hooks';
import type { NotebookSession } from '../../session/notebook-session.ts';
import { applyEdit, readField } from '../text/text-edit.ts';
import { FailedUploads } from './failed-uploads.tsx';
import { hasFailed, ImageUploads, type Upload } from './image-uploads.ts';
import { keepFocus } from './keep-focus.ts';

/** The list of uploads below the text. It is hidden when there are none. */
export function UploadList({ session }: { session: NotebookSession }): VNode {
  const uploads = ImageUploads.of(session);
  const [, redraw] = useReducer((count: number, _action: undefined) => count + 1, 0);
  useLayoutEffect(() => uploads.listen(() => redraw(undefined)), [uploads]);
  const all: readonly Upload[] = uploads.uploads;
  const failed = all.filter(hasFailed);
  return (
    <>
      <div class="uploads" hidden={all.length === 0 && !uploads.offNoticed}>
        {uploads.offNoticed && (
          <p class="upload notice calm" role="status">
            <span id="uploads-off">
              This server stores no images. You can show one from another site: ![what it shows](https://…)
            </span>
            <button type="button" class="button quiet" aria-describedby="uploads-off" onClick={() => uploads.dismissOff()}>
              Dismiss
            </button>
          </p>
        )}
        {failed.length > 0 && <FailedUploads failed={failed} uploads={uploads} />}
        {all.map(upload => (
          <UploadRow key={upload.id} upload={upload} uploads={uploads} />
        ))}
      </div>
      {/* Outside the list, which goes away at the moment the last image is announced. */}
      <p class="visually-hidden" role="status">
        {uploads.announcement}
      </p>
    </>
  );
}

interface RowProps {
  readonly upload: Upload;
  readonly uploads: ImageUploads;
}

function UploadRow({ upload, uploads }: RowProps): VNode | null {
  const { state } = upload;
  if (state.kind === 'unplaced') return <UnplacedRow upload={upload} uploads={uploads} link={state.link} />;
  if (state.kind === 'failed') return null;
  const words = { waiting: 'Waiting', shrinking: 'Shrinking', sending: 'Sending' }[state.kind];
  return (
    <div class="upload">
      <span class="upload-name" dir="auto">
        {upload.name}
      </span>
      <span class="upload-words">
        {words}
        <progress max={1} aria-label={`${words} ${upload.name}`} {...(state.kind === 'sending' ? { value: state.part } : {})} />
      </span>
      <button
        type="button"
        class="button quiet"
        aria-label={`Cancel ${upload.name}`}
        onClick={() => keepFocus(uploads, () => uploads.cancel(upload.id))}
      >
        Cancel
      </button>
    </div>
  );
}

/** An image that is stored, with a button that puts its link at the caret. */
function UnplacedRow({ upload, uploads, link }: RowProps & { link: string }): VNode {
  const [message, setMessage] = useState('');
  const insert = (): void => {
    const { field, acceptsText } = uploads.places;
    if (!field || !acceptsText) {
      setMessage('The page takes no changes right now.');
      return;
    }
    uploads.dismiss(upload.id);
    const { end } = readField(field);
    applyEdit(field, { from: end, to: end, insert: link, start: end + link.length, end: end + link.length });
  };
  return (
    <div class="upload notice">
      <p role="status">
        <strong dir="auto">{upload.name}</strong> is uploaded, but its place in the text is gone.
      </p>
      <button type="button" class="button quiet" aria-label={`Insert it here: ${upload.name}`} onClick={insert}>
        Insert it here
      </button>
      <span role="status">{message}</span>
      <button
        type="button"
        class="button quiet"
        aria-label={`Dismiss the message about ${upload.name}`}
        onClick={() => keepFocus(uploads, () => uploads.dismiss(upload.id))}
      >
        Dismiss
      </button>
    </div>
  );
}
