import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';

interface LazyPanelProps<Props extends { onClose: () => void }> {
  readonly load: () => Promise<(props: Props) => VNode | null>;
  readonly props: Props;
}

/** A dialog whose script is fetched when it is opened: nobody who only writes pays for it. */
export function LazyPanel<Props extends { onClose: () => void }>({ load, props }: LazyPanelProps<Props>): VNode | null {
  const [Panel, setPanel] = useState<{ readonly draw: (props: Props) => VNode | null }>();
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    load().then(
      draw => setPanel({ draw }),
      () => setFailed(true),
    );
  }, []);
  if (Panel) return <Panel.draw {...props} />;
  if (!failed) return null;
  return (
    <p class="notice error" role="alert">
      This part could not be loaded. Is there a connection?{' '}
      <button type="button" class="button" onClick={props.onClose}>
        Close
      </button>
    </p>
  );
}
