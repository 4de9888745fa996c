const listeners = new Set<() => void>();
let probe: HTMLElement | undefined;

/**
 * Calls when the reader's size of text changes. The media queries in `rem` follow it, but Chromium reports neither their change nor a
 * resize: only elements grow.
 * @returns a function that ends the calls
 */
export function watchTextSize(onChange: () => void): () => void {
  listeners.add(onChange);
  probe ??= startProbe();
  return () => listeners.delete(onChange);
}

function startProbe(): HTMLElement {
  const element = document.createElement('div');
  element.className = 'text-size-probe';
  document.body.append(element);
  new ResizeObserver(() => {
    for (const listener of listeners) listener();
  }).observe(element);
  return element;
}
