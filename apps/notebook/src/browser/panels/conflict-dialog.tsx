import type { VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ApiPage } from '../../api/types.ts';
import { withLineFeeds } from '../merge/line-feeds.ts';
import type { EditorPage } from '../session/editor-page.ts';
import { Dialog } from '../ui/dialog.tsx';
import { VersionComparison } from './version-comparison.tsx';

interface ConflictProps {
  readonly page: EditorPage;
  /** The page's name in the list. */
  readonly name: string;
  readonly theirs: ApiPage;
  /** Only the owner sees earlier versions. */
  readonly isVisitor: boolean;
}

/** Closing the dialog decides nothing. Neither side is saved or lost until a button is pressed, and a bar leads back to the dialog. */
export function Conflict(props: ConflictProps): VNode {
  const [open, setOpen] = useState(true);
  if (open) return <ConflictDialog {...props} onClose={() => setOpen(false)} />;
  return <Undecided onOpen={() => setOpen(true)} />;
}

/** The bar that leads back to the dialog. It takes the focus if the dialog was opened from here, because that button is gone. */
function Undecided({ onOpen }: { onOpen: () => void }): VNode {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (document.activeElement === document.body) button.current?.focus();
  }, []);
  return (
    <p class="session-note notice warning">
      <span>This page was changed elsewhere. Yours is not saved until you choose.</span>
      <button ref={button} type="button" class="button" onClick={onOpen}>
        Choose a version
      </button>
    </p>
  );
}

/** Both texts side by side, with the differences marked. */
function ConflictDialog({ page, name, theirs, isVisitor, onClose }: ConflictProps & { onClose: () => void }): VNode {
  const { saver } = page;
  return (
    <Dialog title="This page was changed elsewhere" wide onClose={onClose}>
      {close => {
        const choose = (choice: () => unknown) => () => {
          close();
          // The bar that opened the dialog is gone, so the browser had nowhere to return the focus to. Until it draws, the pressed button has it.
          if (document.activeElement?.matches('body, dialog:not([open]) *'))
            document.querySelector<HTMLElement>('#markdown-field')?.focus({ preventScroll: true });
          void choice();
        };
        return (
          <>
            <p>
              The same part of <strong dir="auto">{name}</strong> was changed here and elsewhere. Nothing is overwritten until you
              choose. Whatever you choose, the other version isn’t lost:{' '}
              {isVisitor ? 'the owner finds theirs under “Versions”' : 'theirs is under “Versions”'}, and undo brings yours back.
            </p>
            <VersionComparison
              earlier={withLineFeeds(theirs.markdown)}
              present={saver.text}
              names={['Their version', 'Your version']}
            />
            <div class="dialog-foot">
              <p class="button-row">
                <button type="button" class="button primary" onClick={choose(() => saver.keepMine())}>
                  Keep mine
                </button>
                <button type="button" class="button" onClick={choose(() => saver.replaceWith(theirs))}>
                  Keep theirs
                </button>
                <button type="button" class="button" onClick={choose(() => saver.keepBoth())}>
                  Keep both
                </button>
              </p>
              <p class="hint">Both: what differs stands in the text twice, yours first, for you to sort out.</p>
            </div>
          </>
        );
      }}
    </Dialog>
  );
}
