import type { VNode } from 'preact';
import { Dialog } from '../ui/dialog.tsx';
import { fillTemplate, pageTemplates } from './page-templates.ts';

interface AddPageDialogProps {
  readonly onClose: () => void;
  readonly onAdd: (markdown: string) => void;
}

export function AddPageDialog({ onClose, onAdd }: AddPageDialogProps): VNode {
  return (
    <Dialog title="Add a page" onClose={onClose}>
      {close => (
        <>
          <p class="hint">The new page comes after the one that is open.</p>
          <ul class="template-list">
            {pageTemplates.map(({ name, about, markdown }, place) => (
              <li key={name}>
                <button
                  type="button"
                  class="button"
                  aria-describedby={`template-${place}`}
                  onClick={() => {
                    close();
                    onAdd(fillTemplate(markdown, new Date()));
                  }}
                >
                  {name}
                </button>
                <span class="hint" id={`template-${place}`}>
                  {about}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  );
}
