import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { NotebookSession } from '../session/notebook-session.ts';
import { useSession } from '../ui/use-session.ts';
import { countText } from './count-words.ts';
import { usePhoneScreen } from './use-narrow-screen.ts';

const pauseMilliseconds = 400;
const counted = (count: number, one: string) => `${count.toLocaleString()} ${count === 1 ? one : `${one}s`}`;

/**
 * Counts the open page after a pause in typing, where there is room to say so. It is never announced, because that would talk over the
 * writer.
 */
export function WordCount({ session }: { session: NotebookSession }): VNode | null {
  useSession(session);
  const { text } = session.current.saver;
  const isHidden = usePhoneScreen();
  const [count, setCount] = useState(() => (isHidden ? undefined : countText(text)));
  useEffect(() => {
    if (isHidden) return undefined;
    const timer = setTimeout(() => setCount(countText(text)), pauseMilliseconds);
    return () => clearTimeout(timer);
  }, [text, isHidden]);
  if (!count || isHidden) return null;
  return (
    <span class="word-count">
      {counted(count.words, 'word')}, {counted(count.characters, 'character')}
    </span>
  );
}
