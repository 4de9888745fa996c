import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** What was pressed makes way for something else: whatever has the ref then gets the focus, which would be nowhere. */
export function useFocusOnChange<Target extends HTMLElement>(shown: unknown): RefObject<Target | null> {
  const target = useRef<Target>(null);
  const before = useRef(shown);
  useLayoutEffect(() => {
    if (before.current !== shown) target.current?.focus();
    before.current = shown;
  }, [shown]);
  return target;
}
