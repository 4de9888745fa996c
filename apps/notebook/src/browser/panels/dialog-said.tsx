import type { VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

export interface Said {
  readonly words: string;
  readonly bad?: boolean;
}

/** The outline of a focused button is outside of it. */
const marginPixels = 8;

/** Stays at the foot of the window, because the list above may be long, and what it is about is anywhere in it. */
export function DialogSaid({ message }: { message: Said | undefined }): VNode {
  const box = useRef<HTMLDivElement>(null);
  // It must not cover what has the focus (WCAG 2.2 2.4.11).
  useLayoutEffect(() => {
    const dialog = box.current!.closest('dialog')!;
    const focused = document.activeElement!;
    const covered = focused.getBoundingClientRect().bottom - box.current!.getBoundingClientRect().top;
    if (message && dialog.contains(focused) && covered > -marginPixels) dialog.scrollBy(0, covered + marginPixels);
  }, [message]);
  return (
    <div ref={box} class="dialog-said" role="status">
      {message && <p class={message.bad ? 'notice error' : 'notice'}>{message.words}</p>}
    </div>
  );
}
