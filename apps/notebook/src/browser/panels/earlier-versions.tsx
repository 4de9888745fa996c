import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApiSnapshot, ApiSnapshotHead } from '../../api/types.ts';
import type { EditorPage } from '../session/editor-page.ts';
import type { NotebookSession } from '../session/notebook-session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { sentenceOf } from '../ui/use-session.ts';
import { VersionComparison } from './version-comparison.tsx';
import { versionNames } from './version-names.ts';

/** The snapshots of the open page, newest first. Each is the text that a change replaced. */
export function EarlierVersions(props: EarlierVersionsProps): VNode {
  const page = props.session.current;
  return <VersionsDialog key={page.key} page={page} {...props} />;
}

interface EarlierVersionsProps {
  readonly session: NotebookSession;
  readonly onClose: () => void;
  /** Told what became of the text, for people who do not see it change. */
  readonly onRestored: (words: string) => void;
}

function VersionsDialog({ session, page, onClose, onRestored }: EarlierVersionsProps & { page: EditorPage }): VNode {
  const [list, setList] = useState<readonly ApiSnapshotHead[]>();
  const { wanted, chosen, fault, attempt, look } = useChosen(session);
  const [restoring, setRestoring] = useState(false);
  const names = versionNames(list ?? []);
  useEffect(() => void attempt(session.api.listSnapshots(page.id).then(setList)), []);
  const restore = async (snapshot: ApiSnapshot, close: () => void): Promise<void> => {
    if (restoring) return;
    setRestoring(true);
    const tell = (): void => {
      close();
      const place = list?.findIndex(({ id }) => id === snapshot.id) ?? -1;
      onRestored(`${page.name} is as it was on ${names[place]}.`);
    };
    await attempt(session.pages.restoreSnapshot(page.id, snapshot.id).then(tell));
    setRestoring(false);
  };
  return (
    <Dialog title="Earlier versions" wide onClose={onClose}>
      {close => (
        <>
          <p class="hint snapshots-page">
            Of <strong dir="auto">{page.name}</strong>.
          </p>
          <p class="hint">The newest ten are kept. Restoring one keeps the present text as a version too.</p>
          {fault && (
            <p class="notice error" role="alert">
              {fault}
            </p>
          )}
          {list?.length === 0 && <p>There are none yet. A version appears here when a change replaces what was saved before.</p>}
          <div class="snapshots">
            <ul class="snapshot-list">
              {list?.map((snapshot, place) => (
                <li key={snapshot.id}>
                  <button
                    type="button"
                    class="button quiet"
                    aria-pressed={wanted === snapshot.id}
                    onClick={() => look(snapshot.id)}
                  >
                    <time dateTime={snapshot.createdAt}>{names[place]}</time>
                  </button>
                </li>
              ))}
            </ul>
            {chosen && (
              <Chosen
                snapshot={chosen}
                present={page.saver.text}
                busy={restoring}
                onRestore={() => void restore(chosen, close)}
              />
            )}
          </div>
        </>
      )}
    </Dialog>
  );
}

/** The version chosen last, once it has loaded. Until then none is shown, so that none can be restored. */
function useChosen(session: NotebookSession) {
  const [wanted, setWanted] = useState<string>();
  const [chosen, setChosen] = useState<ApiSnapshot>();
  const [fault, setFault] = useState('');
  const newest = useRef<string>(undefined);
  const attempt = (action: Promise<void>): Promise<void> => {
    setFault('');
    return action.catch(problem => setFault(sentenceOf(problem)));
  };
  const look = async (id: string): Promise<void> => {
    newest.current = id;
    setWanted(id);
    setFault('');
    setChosen(before => (before?.id === id ? before : undefined));
    // A slow answer for an older choice may come after a quick one for a newer.
    const isNewest = () => newest.current === id;
    try {
      const snapshot = await session.api.getSnapshot(id);
      if (isNewest()) setChosen(snapshot);
    } catch (problem) {
      if (isNewest()) setFault(sentenceOf(problem));
    }
  };
  return { wanted, chosen, fault, attempt, look: (id: string) => void look(id) };
}

interface ChosenProps {
  readonly snapshot: ApiSnapshot;
  readonly present: string;
  /** True while the version is being restored. */
  readonly busy: boolean;
  readonly onRestore: () => void;
}

function Chosen({ snapshot, present, busy, onRestore }: ChosenProps): VNode {
  return (
    <div class="field">
      <VersionComparison earlier={snapshot.markdown ?? ''} present={present} />
      <p class="dialog-foot">
        <span class="button-row">
          <button type="button" class="button primary" aria-disabled={busy} onClick={onRestore}>
            Restore this version
          </button>
        </span>
      </p>
    </div>
  );
}
