import type { ComponentChildren, VNode } from 'preact';
import { useLayoutEffect, useReducer, useState } from 'preact/hooks';
import type { NotebookSession } from '../../session/notebook-session.ts';
import { applyEdit, readField } from '../text/text-edit.ts';
import { ImageUploads, type Upload } from './image-uploads.ts';
import type { UploadFault } from './upload-fault.ts';

/** The list of uploads below the text. It is hidden when there are none. */
export function UploadList({ session }: { session: NotebookSession }): VNode {
  const uploads = ImageUploads.of(session);
  const [, redraw] = useReducer((count: number, _action: undefined) => count + 1, 0);
  useLayoutEffect(() => uploads.listen(() => redraw(undefined)), [uploads]);
  return (
    <>
      <div class="uploads" hidden={uploads.uploads.length === 0 && !uploads.offNoticed}>
        {uploads.offNoticed && (
          <p class="upload notice calm" role="status">
            <span>This server stores no images. You can show one from another site: ![what it shows](https://…)</span>
            <button type="button" class="button quiet" onClick={() => uploads.dismissOff()}>
              Dismiss
            </button>
          </p>
        )}
        {uploads.uploads.map(upload => (
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

function UploadRow({ upload, uploads }: RowProps): VNode {
  const { state } = upload;
  if (state.kind === 'failed') return <FailedRow upload={upload} uploads={uploads} fault={state} />;
  if (state.kind === 'unplaced') return <UnplacedRow upload={upload} uploads={uploads} link={state.link} />;
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

function FailedRow({ upload, uploads, fault }: RowProps & { fault: UploadFault }): VNode {
  const again = (field: HTMLTextAreaElement): void => {
    const { end } = readField(field);
    uploads.add([upload.file], { from: end, to: end });
  };
  return (
    <MessageRow upload={upload} uploads={uploads} bad {...(fault.canRetry ? { action: 'Try again', onAction: again } : {})}>
      <p role="alert">
        <strong dir="auto">{upload.name}</strong>: {fault.reason}
      </p>
    </MessageRow>
  );
}

function UnplacedRow({ upload, uploads, link }: RowProps & { link: string }): VNode {
  const insert = (field: HTMLTextAreaElement): void => {
    const { end } = readField(field);
    applyEdit(field, { from: end, to: end, insert: link, start: end + link.length, end: end + link.length });
  };
  return (
    <MessageRow upload={upload} uploads={uploads} action="Insert it here" onAction={insert}>
      <p role="status">
        <strong dir="auto">{upload.name}</strong> is uploaded, but its place in the text is gone.
      </p>
    </MessageRow>
  );
}

interface MessageProps extends RowProps {
  readonly bad?: boolean;
  /** The label of the button, if anything can be done about it. */
  readonly action?: string;
  readonly onAction?: (field: HTMLTextAreaElement) => void;
  readonly children: ComponentChildren;
}

/** The result of an upload, with a button if anything can be done about it. */
function MessageRow({ upload, uploads, bad = false, action, onAction, children }: MessageProps): VNode {
  const [message, setMessage] = useState('');
  const act = (): void => {
    const { field, acceptsText } = uploads.places;
    if (!field || !acceptsText) {
      setMessage('The page takes no changes right now.');
      return;
    }
    uploads.dismiss(upload.id);
    onAction?.(field);
  };
  return (
    <div class={bad ? 'upload notice error' : 'upload notice'}>
      {children}
      {action && (
        <button type="button" class="button quiet" aria-label={`${action}: ${upload.name}`} onClick={act}>
          {action}
        </button>
      )}
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

/** Moves the focus to the text, because the button that was pressed disappears. */
function keepFocus(uploads: ImageUploads, action: () => void): void {
  action();
  uploads.places.field?.focus({ preventScroll: true });
}
