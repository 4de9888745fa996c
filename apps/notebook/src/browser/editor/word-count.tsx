import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { NotebookSession } from '../session/notebook-session.ts';
import { useSession } from '../ui/use-session.ts';
import { countText } from './count-words.ts';

const pauseMilliseconds = 400;
const number = new Intl.NumberFormat();
const counted = (count: number, one: string) => `${number.format(count)} ${count === 1 ? one : `${one}s`}`;

/** Counts the open page after a pause in typing. It is never announced, because that would talk over the writer. */
export function WordCount({ session }: { session: NotebookSession }): VNode {
  useSession(session);
  const { text } = session.current.saver;
  const [count, setCount] = useState(() => countText(text));
  useEffect(() => {
    const timer = setTimeout(() => setCount(countText(text)), pauseMilliseconds);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <span class="word-count">
      {counted(count.words, 'word')}, {counted(count.characters, 'character')}
    </span>
  );
}
