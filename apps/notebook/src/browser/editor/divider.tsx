import type { RefObject, VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { readKey, writeKey } from '../device/device-storage.ts';

const storageKey = 'octavo.editor.share';
const half = 50;
const least = 20;
const most = 80;

const clamp = (share: number): number => Math.min(most, Math.max(least, Math.round(share)));

function readShare(): number {
  const share = Number(readKey(storageKey));
  return share >= least && share <= most ? share : half;
}

/** The divider between text and preview. It can be dragged or moved with the arrow keys; a double click or Home centers it. */
export function Divider({ panes }: { panes: RefObject<HTMLElement | null> }): VNode {
  const [share, setShare] = useState(readShare);
  /** The current position of the drag, which may end before the last move was rendered. */
  const dragged = useRef<number | undefined>(undefined);
  // A layout effect, so that a stored width applies before the first paint.
  useLayoutEffect(() => {
    panes.current?.style.setProperty('--text-share', `${share}fr`);
    panes.current?.style.setProperty('--preview-share', `${100 - share}fr`);
  }, [share]);
  const choose = (wanted: number): void => {
    const next = clamp(wanted);
    setShare(next);
    writeKey(storageKey, String(next));
  };
  const drag = (event: PointerEvent): void => {
    const box = panes.current?.getBoundingClientRect();
    if (dragged.current === undefined || !box) return;
    dragged.current = clamp(((event.clientX - box.left) / box.width) * 100);
    setShare(dragged.current);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved
    <div
      class="divider"
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the text"
      aria-valuenow={share}
      aria-valuemin={least}
      aria-valuemax={most}
      aria-valuetext={`${share} %`}
      tabIndex={0}
      onPointerDown={event => {
        if (event.button !== 0) return;
        dragged.current = share;
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={drag}
      onLostPointerCapture={() => {
        if (dragged.current !== undefined) choose(dragged.current);
        dragged.current = undefined;
      }}
      onDblClick={() => choose(half)}
      onKeyDown={event => {
        const step = event.shiftKey ? 10 : 2;
        const next = { ArrowLeft: share - step, ArrowRight: share + step, Home: half }[event.key];
        if (next === undefined) return;
        event.preventDefault();
        choose(next);
      }}
    />
  );
}
