import type { VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

const panels = { versions: 'Versions', images: 'Images', comments: 'Comments', settings: 'Settings' } as const;
export type OwnerPanel = keyof typeof panels;

interface OwnerButtonsProps {
  /** Whether this server stores images. */
  readonly hasImages: boolean;
  readonly open: (panel: OwnerPanel) => void;
}

/** The owner's buttons: in a row if there is room, on small screens behind "More". */
export function OwnerButtons({ hasImages, open }: OwnerButtonsProps): VNode {
  const shown = Object.entries(panels).filter(([panel]) => hasImages || panel !== 'images');
  const [unfolded, setUnfolded] = useState(false);
  const menu = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => (unfolded ? closeOnDismiss(menu.current!, () => setUnfolded(false)) : undefined), [unfolded]);
  return (
    <div class="owner-buttons" ref={menu}>
      <button
        type="button"
        class="button quiet owner-buttons-more"
        aria-expanded={unfolded}
        aria-controls="owner-buttons"
        onClick={() => setUnfolded(!unfolded)}
      >
        More
      </button>
      <div id="owner-buttons" class="owner-buttons-row" data-unfolded={unfolded}>
        {shown.map(([panel, name]) => (
          <button
            key={panel}
            type="button"
            class="button quiet"
            onClick={() => {
              // A dialog returns the focus to where it was, and this button is about to be hidden.
              if (unfolded) menu.current!.querySelector('button')?.focus();
              setUnfolded(false);
              open(panel as OwnerPanel);
            }}
          >
            {name}
          </button>
        ))}
      </div>
    </div>
  );
}

/** Closes the menu on Esc, on a press elsewhere and when the focus leaves it. Esc returns the focus to the button that opened it. */
function closeOnDismiss(menu: HTMLElement, fold: () => void): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  menu.addEventListener(
    'keydown',
    event => {
      if (event.key !== 'Escape') return;
      fold();
      menu.querySelector('button')?.focus();
    },
    { signal },
  );
  const leave = (event: Event): void => {
    if (!menu.contains(event.target as Node)) fold();
  };
  document.addEventListener('pointerdown', leave, { signal });
  document.addEventListener('focusin', leave, { signal });
  return () => ending.abort();
}
