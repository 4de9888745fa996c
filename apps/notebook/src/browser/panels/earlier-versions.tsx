import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ApiSnapshot, ApiSnapshotHead } from '../../api/types.ts';
import { exactWords } from '../device/date-words.ts';
import type { NotebookSession } from '../session/notebook-session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { sentenceOf } from '../ui/use-session.ts';
import { VersionComparison } from './version-comparison.tsx';

/** The snapshots of the open page: what each change replaced, newest first. */
export function EarlierVersions({ session, onClose }: { session: NotebookSession; onClose: () => void }): VNode {
  const page = session.current;
  const [list, setList] = useState<readonly ApiSnapshotHead[]>();
  const [chosen, setChosen] = useState<ApiSnapshot>();
  const [fault, setFault] = useState('');
  const attempt = (action: Promise<void>): void => void action.catch(problem => setFault(sentenceOf(problem)));
  useEffect(() => attempt(session.api.listSnapshots(page.id).then(setList)), [page]);
  const look = (snapshot: ApiSnapshotHead): void => attempt(session.api.getSnapshot(page.id, snapshot.id).then(setChosen));
  return (
    <Dialog title="Earlier versions" wide onClose={onClose}>
      {close => (
        <>
          <p class="hint">
            Of <strong dir="auto">{page.title}</strong>. The newest ten are kept. Restoring one keeps the present text as a
            version too.
          </p>
          {fault && (
            <p class="notice error" role="alert">
              {fault}
            </p>
          )}
          {list?.length === 0 && <p>There are none yet. A version appears here when a change replaces what was saved before.</p>}
          <div class="snapshots">
            <ul class="snapshot-list">
              {list?.map(snapshot => (
                <li key={snapshot.id}>
                  <button
                    type="button"
                    class="button quiet"
                    aria-pressed={chosen?.id === snapshot.id}
                    onClick={() => look(snapshot)}
                  >
                    <time dateTime={snapshot.createdAt}>{exactWords(snapshot.createdAt)}</time>
                  </button>
                </li>
              ))}
            </ul>
            {chosen && (
              <Chosen
                snapshot={chosen}
                present={page.saver.text}
                onRestore={() =>
                  attempt(
                    session.pages.restoreSnapshot(page.id, chosen.id).then(() => {
                      close();
                    }),
                  )
                }
              />
            )}
          </div>
        </>
      )}
    </Dialog>
  );
}

interface ChosenProps {
  readonly snapshot: ApiSnapshot;
  readonly present: string;
  readonly onRestore: () => void;
}

function Chosen({ snapshot, present, onRestore }: ChosenProps): VNode {
  return (
    <div class="field">
      <VersionComparison earlier={snapshot.markdown ?? ''} present={present} />
      <p class="dialog-foot">
        <span class="button-row">
          <button type="button" class="button primary" onClick={onRestore}>
            Restore this version
          </button>
        </span>
      </p>
    </div>
  );
}
