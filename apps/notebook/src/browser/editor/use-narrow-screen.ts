import { useEffect, useState } from 'preact/hooks';
import { watchTextSize } from './text-size.ts';

// The style sheet uses the same limits.
const narrow = matchMedia('(width < 64rem)');
const phone = matchMedia('(width < 40rem)');

/** Whether the screen is too narrow for text and preview side by side. */
export const useNarrowScreen = (): boolean => useMatch(narrow);

/** Whether the screen has no room for the line below the text. */
export const usePhoneScreen = (): boolean => useMatch(phone);

function useMatch(query: MediaQueryList): boolean {
  const [is, setIs] = useState(query.matches);
  useEffect(() => {
    const onChange = (): void => setIs(query.matches);
    query.addEventListener('change', onChange);
    const endWatch = watchTextSize(onChange);
    return () => {
      query.removeEventListener('change', onChange);
      endWatch();
    };
  }, []);
  return is;
}
