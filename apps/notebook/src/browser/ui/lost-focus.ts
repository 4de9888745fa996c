/**
 * What has the focus may go out of the document: a note that is dismissed, the text of a page that was deleted elsewhere. If nothing
 * takes the focus then, `#main` does: the next Tab goes on from there, and no key is typed into another text.
 */
export function catchLostFocus(): void {
  let last: EventTarget | null = null;
  document.addEventListener('focusin', ({ target }) => {
    last = target;
  });
  // Some browsers say so also of what is being removed.
  document.addEventListener('focusout', ({ target }) =>
    setTimeout(() => {
      if (last === target && last instanceof Node && last.isConnected) last = null;
    }),
  );
  new MutationObserver(() => {
    if (!(last instanceof Node) || last.isConnected) return;
    last = null;
    // Whoever knows a better place acts in the next frame.
    requestAnimationFrame(() => requestAnimationFrame(focusMain));
  }).observe(document.body, { childList: true, subtree: true });
}

function focusMain(): void {
  if (document.activeElement === document.body) document.querySelector<HTMLElement>('#main')?.focus({ preventScroll: true });
}
