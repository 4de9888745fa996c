import type { ComponentChildren, VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: (close: () => void) => ComponentChildren;
  readonly wide?: boolean;
}

/** The browser's own modal dialog: it keeps the focus inside, gives it back, and closes on Esc. */
export function Dialog({ title, onClose, children, wide = false }: DialogProps): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  // Named by its words: `useId` counts anew in each of the editor's two roots, and two dialogs may be open at once.
  const titleId = `dialog-${title.toLowerCase().replaceAll(/\W+/g, '-')}`;
  useLayoutEffect(() => {
    const opener = findOpener();
    dialog.current?.showModal();
    // Not on the close button, where the browser would put it: a screen reader should hear what this is about first.
    heading.current?.focus();
    const stopKeeping = keepFocus(dialog.current!, heading.current!);
    return () => {
      stopKeeping();
      giveBack(opener);
    };
  }, []);
  const close = (): void => dialog.current?.close();
  return (
    <dialog ref={dialog} class={wide ? 'dialog wide' : 'dialog'} aria-labelledby={titleId} onClose={onClose}>
      <div class="dialog-head">
        <h2 id={titleId} ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <button type="button" class="button quiet icon" aria-label="Close" onClick={close}>
          <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
            <path d="M6 6l12 12M18 6L6 18" />
          </svg>
        </button>
      </div>
      {children(close)}
    </dialog>
  );
}

/** A dialog that closes is out of sight at once, and out of the document a moment later. */
export const isInOpenDialog = (element: HTMLElement | null): boolean => element?.closest('dialog[open]') != null;

/** What had the focus may go: the next question takes its place, or an item leaves a list. Who gave it no other place finds it here. */
function keepFocus(dialog: HTMLElement, heading: HTMLElement): () => void {
  let last: Element | null = heading;
  const remember = (): void => {
    if (dialog.contains(document.activeElement)) last = document.activeElement;
  };
  const watch = new MutationObserver(() => {
    if (last?.isConnected || document.activeElement !== document.body) return;
    last = heading;
    heading.focus({ preventScroll: true });
  });
  dialog.addEventListener('focusin', remember);
  watch.observe(dialog, { childList: true, subtree: true });
  return () => {
    dialog.removeEventListener('focusin', remember);
    watch.disconnect();
  };
}

/** Where the focus was before a dialog made way for another one, which one of its buttons opened. */
let handedOn: HTMLElement | undefined;

function findOpener(): HTMLElement | undefined {
  const focused = document.activeElement;
  return focused instanceof HTMLElement && focused !== document.body ? focused : handedOn;
}

/** The browser gives the focus back to what had it, but that may have been a button of a dialog that is gone. */
function giveBack(opener: HTMLElement | undefined): void {
  handedOn = opener;
  queueMicrotask(() => {
    handedOn = undefined;
    if (document.activeElement === document.body) opener?.focus();
  });
}
