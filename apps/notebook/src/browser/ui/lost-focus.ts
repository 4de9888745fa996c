/**
 * What has the focus may go out of the document. Where that lay within `selector` and nothing else takes the focus, `#main` gets it: the
 * next Tab goes on from there, and no key is typed into another text.
 */
export function catchLostFocus(selector: string): void {
  let last: Element | undefined;
  document.addEventListener('focusin', ({ target }) => {
    last = target instanceof Element && target.closest(selector) ? target : undefined;
  });
  // Some browsers say so also of what is being removed.
  document.addEventListener('focusout', ({ target }) =>
    setTimeout(() => {
      if (last === target && last?.isConnected) last = undefined;
    }),
  );
  new MutationObserver(() => {
    if (!last || last.isConnected) return;
    last = undefined;
    // Whoever knows a better place acts in the next frame.
    requestAnimationFrame(() => requestAnimationFrame(focusMain));
  }).observe(document.body, { childList: true, subtree: true });
}

function focusMain(): void {
  if (document.activeElement === document.body) document.querySelector<HTMLElement>('#main')?.focus({ preventScroll: true });
}
