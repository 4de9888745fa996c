import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { missingPart } from '../device/missing-part.ts';

interface LazyPartProps<Props> {
  /** Must request the script again after each failure (vite.config.ts). */
  readonly load: () => Promise<(props: Props) => VNode | null>;
  readonly props: Props;
  /** Called when the person dismisses the message that loading failed. */
  readonly onDismiss?: () => void;
}

/** A part of the editor whose script is loaded when it is shown, so that people who only write do not pay for it. */
export function LazyPart<Props extends object>({ load, props, onDismiss }: LazyPartProps<Props>): VNode | null {
  const [part, setPart] = useState<{ readonly Draw: (props: Props) => VNode | null }>();
  const [failed, setFailed] = useState(false);
  // The message stays during a retry, because its button has the focus.
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
      <p>{missingPart}</p>
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
