import { useEffect, useState } from 'preact/hooks';

const narrow = matchMedia('(width < 64rem)');

/** Whether text and preview have no room beside each other; the style sheet draws the same line. */
export function useNarrowScreen(): boolean {
  const [is, setIs] = useState(narrow.matches);
  useEffect(() => {
    const onChange = (): void => setIs(narrow.matches);
    narrow.addEventListener('change', onChange);
    return () => narrow.removeEventListener('change', onChange);
  }, []);
  return is;
}
