import type { ComponentChildren, VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: (close: () => void) => ComponentChildren;
  readonly wide?: boolean;
}

/** The browser's own modal dialog: it keeps the focus inside, returns it afterwards and closes on Esc. */
export function Dialog({ title, onClose, children, wide = false }: DialogProps): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  // Derived from the title: `useId` starts again in each of the editor's two roots, and two dialogs may be open at once.
  const titleId = `dialog-${title.toLowerCase().replaceAll(/\W+/g, '-')}`;
  useLayoutEffect(() => {
    const opener = findOpener();
    dialog.current?.showModal();
    // The browser would focus the close button, but a screen reader should first read what the dialog is about.
    heading.current?.focus();
    const stopKeeping = keepFocus(dialog.current!, heading.current!);
    return () => {
      stopKeeping();
      restoreFocus(opener);
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

/** Checks the `open` attribute, because a closing dialog leaves the document only a moment after it is hidden. */
export const isInOpenDialog = (element: HTMLElement | null): boolean => element?.closest('dialog[open]') != null;

/** Focuses the heading when the focused element is removed, by the next question or from a list, and nothing else took the focus. */
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

/** Where the focus was before a dialog was replaced by another that one of its buttons opened. */
let handedOn: HTMLElement | undefined;

function findOpener(): HTMLElement | undefined {
  const focused = document.activeElement;
  return focused instanceof HTMLElement && focused !== document.body ? focused : handedOn;
}

/** The browser returns the focus to the element that had it, but that may be a button in a dialog that is gone. */
function restoreFocus(opener: HTMLElement | undefined): void {
  handedOn = opener;
  queueMicrotask(() => {
    handedOn = undefined;
    if (document.activeElement === document.body) opener?.focus();
  });
}
