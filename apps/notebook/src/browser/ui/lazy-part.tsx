import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';

interface LazyPartProps<Props> {
  readonly load: () => Promise<(props: Props) => VNode | null>;
  readonly props: Props;
  /** When it could not be fetched. */
  readonly onDismiss?: () => void;
}

/** A part of the editor whose script is fetched when it is shown: nobody who only writes pays for it. */
export function LazyPart<Props extends object>({ load, props, onDismiss }: LazyPartProps<Props>): VNode | null {
  const [part, setPart] = useState<{ readonly Draw: (props: Props) => VNode | null }>();
  // Most browsers do not ask for a module again that once did not come: only a new page does.
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    load().then(
      Draw => setPart({ Draw }),
      () => setFailed(true),
    );
  }, []);
  if (part) return <part.Draw {...props} />;
  if (!failed) return null;
  return (
    <p class="notice error" role="alert">
      This part could not be loaded. Reload the page once you are online; your text stays.{' '}
      {onDismiss && (
        <button type="button" class="button" onClick={onDismiss}>
          Close
        </button>
      )}
    </p>
  );
}
