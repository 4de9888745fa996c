/**
 * Moves the focus to `#main` when the focused element within `selector` is removed and nothing else takes the focus. The next
 * Tab then goes on from there, and no key is typed into another text.
 */
export function catchLostFocus(selector: string): void {
  let last: Element | undefined;
  document.addEventListener('focusin', ({ target }) => {
    last = target instanceof Element && target.closest(selector) ? target : undefined;
  });
  // Some browsers also fire this for an element that is being removed.
  document.addEventListener('focusout', ({ target }) =>
    setTimeout(() => {
      if (last === target && last?.isConnected) last = undefined;
    }),
  );
  new MutationObserver(() => {
    if (!last || last.isConnected) return;
    last = undefined;
    // Code that knows a better place sets the focus in the next frame.
    requestAnimationFrame(() => requestAnimationFrame(focusMain));
  }).observe(document.body, { childList: true, subtree: true });
}

function focusMain(): void {
  if (document.activeElement === document.body) document.querySelector<HTMLElement>('#main')?.focus({ preventScroll: true });
}
