const listeners = new Set<() => void>();
let isProbed = false;

/**
 * Calls when the reader's size of text changes. The media queries in `rem` follow it, but Chromium reports neither their change nor a
 * resize: only elements grow.
 * @returns a function that ends the calls
 */
export function watchTextSize(onChange: () => void): () => void {
  listeners.add(onChange);
  if (!isProbed) startProbe();
  return () => listeners.delete(onChange);
}

function startProbe(): void {
  isProbed = true;
  const element = document.createElement('div');
  element.className = 'text-size-probe';
  document.body.append(element);
  new ResizeObserver(() => {
    for (const listener of listeners) listener();
  }).observe(element);
}
