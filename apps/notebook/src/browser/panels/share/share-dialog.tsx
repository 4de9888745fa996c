import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { urls } from '../../../urls.ts';
import type { NotebookSession } from '../../session/notebook-session.ts';
import { CopyField } from '../../ui/copy-field.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { LazyPart } from '../../ui/lazy-part.tsx';
import { sentenceOf, useSession } from '../../ui/use-session.ts';
import { KeepEditLink } from './keep-edit-link.tsx';
import { ShareViewLink } from './share-view-link.tsx';
import { SharingFields } from './sharing-fields.tsx';
import { viewLinkFacts, viewLinkHint } from './view-link-facts.ts';

const loadQr = async () => (await import('./qr-panel.tsx')).QrPanel;

/** The two links and who may do what with the first of them. */
export function ShareDialog({ session, onClose }: { session: NotebookSession; onClose: () => void }): VNode {
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
              hint="Whoever has it can change and delete everything, like you. Keep it for yourself, and keep it safe: nobody can recover it."
            />
            <KeepEditLink key={editLink} title={notebook.title} slug={slug} editLink={editLink} />
            <RotateLink session={session} />
          </section>
        </div>
      )}
    </Dialog>
  );
}

function RotateLink({ session }: { session: NotebookSession }): VNode {
  const [asking, setAsking] = useState(false);
  const [said, setSaid] = useState('');
  const rotate = async (): Promise<void> => {
    setAsking(false);
    try {
      await session.rotateToken();
      setSaid(
        session.keptOnDevice
          ? 'The edit link is new, and this browser remembers it. The old one no longer works.'
          : 'The edit link is new, but this browser did not keep it. Copy it now.',
      );
    } catch (problem) {
      setSaid(sentenceOf(problem));
    }
  };
  return (
    <div class="rotate">
      {asking ? (
        <>
          <p>The old edit link stops working at once, for everybody who has it and in every other browser.</p>
          <p class="button-row">
            <button type="button" class="button danger" onClick={() => void rotate()}>
              Replace it
            </button>
            <button type="button" class="button" onClick={() => setAsking(false)}>
              Keep the old one
            </button>
          </p>
        </>
      ) : (
        <>
          <p class="hint">Link leaked? Reset it; the old one stops working.</p>
          <button type="button" class="button" onClick={() => setAsking(true)}>
            Replace the edit link
          </button>
        </>
      )}
      <p class="notice" role="status">
        {said}
      </p>
    </div>
  );
}
