import type { RefObject, VNode } from 'preact';
import type { Outcome } from './use-change.ts';

interface ChangeOutcomeProps {
  readonly outcome: Outcome;
  readonly box: RefObject<HTMLDivElement | null>;
}

/** Says which changes were refused and that the last one was saved. Only what is new is announced. */
export function ChangeOutcome({ outcome: { refused, saved }, box }: ChangeOutcomeProps): VNode {
  return (
    <div ref={box} class="dialog-state" role="status" aria-atomic="false">
      {[...refused].map(([setting, words]) => (
        <p key={setting} class="notice error">
          {words}
        </p>
      ))}
      {saved !== undefined && (
        <p key="saved" class="notice">
          {refused.size === 0 ? 'Saved.' : `“${saved}” was saved.`}
        </p>
      )}
    </div>
  );
}
