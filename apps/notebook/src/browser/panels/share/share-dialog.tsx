import type { VNode } from 'preact';
import { urls } from '../../../urls.ts';
import type { NotebookSession } from '../../session/notebook-session.ts';
import { CopyField } from '../../ui/copy-field.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { LazyPart } from '../../ui/lazy-part.tsx';
import { useSession } from '../../ui/use-session.ts';
import { ReplaceEditLink } from '../replace-edit-link.tsx';
import { KeepEditLink } from './keep-edit-link.tsx';
import { ShareViewLink } from './share-view-link.tsx';
import { SharingFields } from './sharing-fields.tsx';
import { viewLinkFacts, viewLinkHint } from './view-link-facts.ts';

const loadQr = async () => (await import('./qr-panel.tsx')).QrPanel;

interface ShareDialogProps {
  readonly session: NotebookSession;
  readonly onClose: () => void;
  /** Opens the dialog again. */
  readonly onShow: () => void;
}

/** The two links, and the settings for who may do what with the view link. */
export function ShareDialog({ session, onClose, onShow }: ShareDialogProps): VNode {
  useSession(session);
  const { notebook, editToken, slug } = session;
  const viewLink = location.origin + urls.view(slug);
  const editLink = location.origin + urls.editByToken(editToken ?? '');
  return (
    <Dialog title="Share this notebook" onClose={onClose} wide>
      {() => (
        <div class="share">
          <section class="share-part" aria-labelledby="share-view-title">
            <h3 id="share-view-title">To read</h3>
            <CopyField id="share-view" label="View link" copy="Copy view link" value={viewLink} hint={viewLinkHint(notebook)} />
            <ShareViewLink title={notebook.title} viewLink={viewLink} />
            <ul class="share-facts" aria-label="What the view link can do">
              {viewLinkFacts(notebook).map(fact => (
                <li key={fact}>{fact}</li>
              ))}
            </ul>
            <LazyPart load={loadQr} props={{ viewLink, slug }} />
          </section>
          <section class="share-part" aria-labelledby="share-rules-title">
            <h3 id="share-rules-title">Access</h3>
            <SharingFields session={session} />
          </section>
          <section class="share-part share-edit" aria-labelledby="share-edit-title">
            <h3 id="share-edit-title">To edit</h3>
            <CopyField
              id="share-edit"
              label="Edit link"
              copy="Copy edit link"
              value={editLink}
              hint="Anyone who has it can change and delete everything, like you. Keep it to yourself and keep it safe: we can’t recover it."
            />
            <KeepEditLink key={editLink} title={notebook.title} slug={slug} editLink={editLink} />
            <ReplaceEditLink session={session} onShow={onShow} />
          </section>
        </div>
      )}
    </Dialog>
  );
}
