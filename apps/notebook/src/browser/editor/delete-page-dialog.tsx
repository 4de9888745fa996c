import type { VNode } from 'preact';
import { Dialog } from './dialog.tsx';

interface DeletePageDialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly onDelete: () => void;
}

export function DeletePageDialog({ title, onClose, onDelete }: DeletePageDialogProps): VNode {
  return (
    <Dialog title="Delete this page?" onClose={onClose}>
      {close => (
        <>
          <p>
            <strong dir="auto">{title}</strong> and its earlier versions will be gone. This cannot be taken back.
          </p>
          <p class="button-row">
            <button
              type="button"
              class="button danger"
              onClick={() => {
                close();
                onDelete();
              }}
            >
              Delete the page
            </button>
            <button type="button" class="button" onClick={close}>
              Keep it
            </button>
          </p>
        </>
      )}
    </Dialog>
  );
}
