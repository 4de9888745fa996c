import { render, type VNode } from 'preact';
import { Dialog } from '../../ui/dialog.tsx';

export type EditLinkChoice = 'view' | 'edit' | 'nothing';

/** Asks before the link is in the text, because the text is saved and read by others. */
export function askAboutEditLink(hasViewLink: boolean): Promise<EditLinkChoice> {
  const host = document.createElement('div');
  document.body.append(host);
  return new Promise(resolve => {
    let choice: EditLinkChoice = 'nothing';
    const onClose = (): void => {
      render(null, host);
      host.remove();
      resolve(choice);
    };
    const choose = (chosen: EditLinkChoice): void => {
      choice = chosen;
    };
    render(<EditLinkDialog hasViewLink={hasViewLink} choose={choose} onClose={onClose} />, host);
  });
}

interface EditLinkDialogProps {
  readonly hasViewLink: boolean;
  readonly choose: (choice: EditLinkChoice) => void;
  readonly onClose: () => void;
}

function EditLinkDialog({ hasViewLink, choose, onClose }: EditLinkDialogProps): VNode {
  return (
    <Dialog title="This is an edit link" onClose={onClose}>
      {close => {
        const pick = (choice: EditLinkChoice) => () => {
          choose(choice);
          close();
        };
        return (
          <>
            <p>
              Anyone who reads it on this page can change and delete the notebook that it opens.
              {hasViewLink && ' Readers need only the view link.'}
            </p>
            <p class="button-row">
              {hasViewLink && (
                <button type="button" class="button primary" onClick={pick('view')}>
                  Insert the view link
                </button>
              )}
              <button type="button" class="button danger" onClick={pick('edit')}>
                Insert the edit link
              </button>
              <button type="button" class="button" onClick={pick('nothing')}>
                Insert nothing
              </button>
            </p>
          </>
        );
      }}
    </Dialog>
  );
}
