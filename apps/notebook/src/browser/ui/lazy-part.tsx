import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';

interface LazyPartProps<Props> {
  /** Asks the server again each time it fails (vite.config.ts). */
  readonly load: () => Promise<(props: Props) => VNode | null>;
  readonly props: Props;
  /** When it could not be fetched. */
  readonly onDismiss?: () => void;
}

/** A part of the editor whose script is fetched when it is shown: nobody who only writes pays for it. */
export function LazyPart<Props extends object>({ load, props, onDismiss }: LazyPartProps<Props>): VNode | null {
  const [part, setPart] = useState<{ readonly Draw: (props: Props) => VNode | null }>();
  const [failed, setFailed] = useState(false);
  // The words stay while it is tried again: the button has the focus.
  const fetchPart = () =>
    void load().then(
      Draw => setPart({ Draw }),
      () => setFailed(true),
    );
  useEffect(fetchPart, []);
  if (part) return <part.Draw {...props} />;
  if (!failed) return null;
  return (
    <div class="notice error" role="alert">
      <p>This part could not be loaded. Try again once you are online, or reload the page; your text stays.</p>
      <p class="button-row">
        <button type="button" class="button" onClick={fetchPart}>
          Try again
        </button>
        {onDismiss && (
          <button type="button" class="button" onClick={onDismiss}>
            Close
          </button>
        )}
      </p>
    </div>
  );
}
