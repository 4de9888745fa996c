import { useEffect, useState } from 'preact/hooks';

const narrow = matchMedia('(width < 64rem)');

/** Whether the screen is too narrow for text and preview side by side. The style sheet uses the same limit. */
export function useNarrowScreen(): boolean {
  const [is, setIs] = useState(narrow.matches);
  useEffect(() => {
    const onChange = (): void => setIs(narrow.matches);
    narrow.addEventListener('change', onChange);
    return () => narrow.removeEventListener('change', onChange);
  }, []);
  return is;
}
