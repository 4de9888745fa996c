import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { isNotDone } from '../api/own-answers.ts';
import type { NotebookSession } from '../session/notebook-session.ts';
import { isInOpenDialog } from '../ui/dialog.tsx';
import { useFocusOnChange } from '../ui/use-focus-on-change.ts';
import { sentenceOf } from '../ui/use-session.ts';

interface ReplaceEditLinkProps {
  readonly session: NotebookSession;
  /** Opens the panel again if it was closed before the new link came. */
  readonly onShow: () => void;
}

/** Asks first. The owner learns the result even if the panel was closed meanwhile. */
export function ReplaceEditLink({ session, onShow }: ReplaceEditLinkProps): VNode {
  const [stage, setStage] = useState<'idle' | 'asking' | 'replacing'>('idle');
  const [message, setMessage] = useState<{ readonly words: string; readonly tone: 'good' | 'warning' }>();
  const harmless = useFocusOnChange<HTMLButtonElement>(stage === 'asking');
  const box = useRef<HTMLDivElement>(null);
  const tell = (words: string, tone: 'good' | 'warning'): void => {
    setMessage({ words, tone });
    const action = { label: 'Show it', run: onShow };
    if (!isInOpenDialog(box.current)) session.notes.show({ name: 'edit-link', tone, text: words, action });
  };
  const replace = async (): Promise<void> => {
    // Blocks a second replacement, which would be requested with the old link.
    setStage('replacing');
    setMessage(undefined);
    try {
      await session.rotateToken();
      tell(newLinkWords(session.keptOnDevice), session.keptOnDevice ? 'good' : 'warning');
    } catch (problem) {
      tell(`${failedWords(problem)} ${sentenceOf(problem)}`, 'warning');
    }
    setStage('idle');
  };
  return (
    <div class="rotate" ref={box}>
      {stage === 'asking' ? (
        <>
          <p>The old edit link stops working at once, for everybody who has it and in every other browser.</p>
          <p class="button-row">
            <button type="button" class="button danger" onClick={() => void replace()}>
              Replace it
            </button>
            <button type="button" class="button" ref={harmless} onClick={() => setStage('idle')}>
              Keep the old one
            </button>
          </p>
        </>
      ) : (
        <>
          <p class="hint">Link leaked? Reset it; the old one stops working.</p>
          <button
            type="button"
            class="button"
            ref={harmless}
            aria-disabled={stage === 'replacing'}
            onClick={() => stage === 'idle' && setStage('asking')}
          >
            Replace the edit link
          </button>
        </>
      )}
      <p class={message?.tone === 'warning' ? 'notice warning' : 'notice'} role="status">
        {message?.words}
      </p>
    </div>
  );
}

function newLinkWords(kept: boolean): string {
  return kept
    ? 'The edit link is new, and this browser remembers it. The old one no longer works.'
    : 'The edit link is new, but this browser did not keep it. Copy it now.';
}

/** Without an answer we cannot know whether the server did it. */
function failedWords(problem: unknown): string {
  return isNotDone(problem) ? 'The edit link was not replaced.' : 'We don’t know whether the edit link was replaced.';
}
