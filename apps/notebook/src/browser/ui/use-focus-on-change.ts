import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Focuses the ref's element when `shown` changes, because the button that was pressed is replaced and the focus would be lost. */
export function useFocusOnChange<Target extends HTMLElement>(shown: unknown): RefObject<Target | null> {
  const target = useRef<Target>(null);
  const before = useRef(shown);
  useLayoutEffect(() => {
    if (before.current !== shown) target.current?.focus();
    before.current = shown;
  }, [shown]);
  return target;
}
