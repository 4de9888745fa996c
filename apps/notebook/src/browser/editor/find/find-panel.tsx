import type { RefObject, VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isComposing, isPressed, nameOf } from '../../field/formatting/key-names.ts';
import { applyEdit, replaceAll } from '../../field/text/text-edit.ts';
import type { NotebookSession } from '../../session/notebook-session.ts';
import { useSession } from '../../ui/use-session.ts';
import { FindFault, type Found, type Match, type Query } from './find-matches.ts';
import { Finder } from './finder.ts';
import { MatchMarks } from './match-marks.ts';

export interface FindPanelProps {
  readonly session: NotebookSession;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  /** Increased when find is requested again; the selected words are then looked for. */
  readonly asked: number;
  readonly onClose: () => void;
}

const none: Found = { matches: [], more: false };
const options = [
  ['matchCase', 'Aa', 'Match case'],
  ['wholeWords', 'W', 'Whole words'],
  ['expression', '.*', 'Regular expression'],
] as const;

/** Finds and replaces in the open page. One replacement is one undo step, and so is "Replace all". */
export function FindPanel({ session, field, asked, onClose }: FindPanelProps): VNode {
  useSession(session);
  const words = useRef<HTMLInputElement>(null);
  const [query, setQuery] = useState<Query>(() => ({
    words: selectedWords(field.current) ?? '',
    matchCase: false,
    wholeWords: false,
    expression: false,
  }));
  const [insert, setInsert] = useState('');
  const [message, setMessage] = useState('');
  const { finder, found, current, goTo, fault } = useMatches(session, field, query);
  useLayoutEffect(() => {
    const selected = asked > 1 ? selectedWords(field.current) : undefined;
    if (selected !== undefined) setQuery(before => ({ ...before, words: selected }));
    words.current?.focus();
    words.current?.select();
  }, [asked]);
  const { readOnly } = session.notebook;
  const text = (): string => field.current?.value ?? '';
  const go = (step: 1 | -1): void => {
    setMessage('');
    if (found.matches.length > 0) goTo((Math.max(current, 0) + step + found.matches.length) % found.matches.length);
  };
  const sayOf = async (work: () => Promise<string>): Promise<void> => {
    try {
      setMessage(await work());
    } catch (problem) {
      setMessage(problem instanceof FindFault ? problem.message : 'That did not work.');
    }
  };
  /** Keeps the focus where it is: in the panel, or by now in the text. */
  const keepFocus = (edit: () => void): void => {
    const focused = document.activeElement as HTMLElement | null;
    edit();
    focused?.focus();
  };
  const replaceOne = () =>
    sayOf(async () => {
      const match = found.matches[current];
      const written = text();
      const made = match && (await finder.replacement(written, query, insert, match));
      if (match === undefined || made === undefined || text() !== written) return '';
      const end = match.from + made.length;
      keepFocus(() => applyEdit(field.current!, { from: match.from, to: match.to, insert: made, start: end, end }));
      return '';
    });
  const replaceEvery = () =>
    sayOf(async () => {
      if (found.matches.length === 0) return '';
      const written = text();
      const made = await finder.replaceAll(written, query, insert);
      if (text() !== written) return 'The text has changed. Try again.';
      if (made.count > 0) keepFocus(() => replaceAll(field.current!, made.text));
      return made.count === 1 ? 'Replaced 1 match.' : `Replaced ${made.count} matches.`;
    });
  const close = (): void => {
    const match = found.matches[current];
    onClose();
    field.current?.focus({ preventScroll: true });
    if (match) field.current?.setSelectionRange(match.from, match.to);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isComposing(event)) return;
    const next = isPressed({ key: 'g' }, event) || event.key === 'F3';
    const back = isPressed({ key: 'g', shift: true }, event) || (event.key === 'F3' && event.shiftKey);
    if (event.key === 'Escape') close();
    else if (back) go(-1);
    else if (next) go(1);
    else if (event.key === 'Enter' && event.target === words.current) go(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
  };
  return (
    <search class="find-panel" aria-label="Find and replace" onKeyDown={onKeyDown}>
      <div class="find-row">
        <input
          ref={words}
          type="text"
          class="find-words"
          aria-label="Find in this page"
          placeholder="Find"
          spellcheck={false}
          autocomplete="off"
          value={query.words}
          onInput={({ currentTarget }) => {
            setMessage('');
            setQuery({ ...query, words: currentTarget.value });
          }}
        />
        <fieldset class="find-options">
          <legend class="visually-hidden">Options</legend>
          {options.map(([name, sign, label]) => (
            <button
              key={name}
              type="button"
              class="button quiet icon"
              aria-label={label}
              title={label}
              aria-pressed={query[name]}
              onClick={() => setQuery({ ...query, [name]: !query[name] })}
            >
              {sign}
            </button>
          ))}
        </fieldset>
        <button
          type="button"
          class="button quiet icon"
          aria-label="Previous match"
          title={`Previous match (${nameOf({ key: 'g', shift: true })})`}
          onClick={() => go(-1)}
        >
          ↑
        </button>
        <button
          type="button"
          class="button quiet icon"
          aria-label="Next match"
          title={`Next match (${nameOf({ key: 'g' })})`}
          onClick={() => go(1)}
        >
          ↓
        </button>
        <button type="button" class="button quiet icon" aria-label="Close find and replace" title="Close (Esc)" onClick={close}>
          ✕
        </button>
      </div>
      {!readOnly && (
        <div class="find-row">
          <input
            type="text"
            class="find-words"
            aria-label="Replace with"
            placeholder="Replace with"
            spellcheck={false}
            autocomplete="off"
            value={insert}
            onInput={({ currentTarget }) => setInsert(currentTarget.value)}
            onKeyDown={event => {
              if (event.key !== 'Enter' || isComposing(event)) return;
              event.preventDefault();
              void replaceOne();
            }}
          />
          <button type="button" class="button" aria-disabled={current < 0} onClick={() => void replaceOne()}>
            Replace
          </button>
          <button type="button" class="button" aria-disabled={found.matches.length === 0} onClick={() => void replaceEvery()}>
            Replace all
          </button>
        </div>
      )}
      <p class="find-said hint" role="status">
        {fault || message || countOf(query, found, current)}
      </p>
    </search>
  );
}

function countOf(query: Query, { matches, more }: Found, current: number): string {
  if (query.words === '') return '';
  if (matches.length === 0) return 'No matches.';
  const count = more ? `more than ${matches.length}` : String(matches.length);
  return `${current + 1} of ${count}`;
}

/** The selected words if they are few. A longer selection is not something to search for. */
function selectedWords(field: HTMLTextAreaElement | null): string | undefined {
  const selected = field?.value.slice(field.selectionStart, field.selectionEnd) ?? '';
  return selected !== '' && selected.length <= 200 && !selected.includes('\n') ? selected : undefined;
}

const pauseMilliseconds = 120;

/** Finds and marks the matches in the page's current text. `current` is the match stood on, or -1 for none. */
function useMatches(session: NotebookSession, field: FindPanelProps['field'], query: Query) {
  const { current: page } = session;
  const { text } = page.saver;
  const [finder] = useState(() => new Finder());
  const marks = useRef<MatchMarks | null>(null);
  const [{ found, current }, setState] = useState({ found: none, current: -1 });
  const [fault, setFault] = useState('');
  useEffect(() => () => finder.close(), []);
  useLayoutEffect(() => {
    if (field.current) marks.current = new MatchMarks(field.current);
    return () => marks.current?.close();
  }, [page.id]);
  const goTo = (place: number, matches: readonly Match[] = found.matches): void => {
    setState(before => ({ found: before.found, current: place }));
    const match = matches[place];
    if (match) marks.current?.reveal(match);
  };
  useEffect(() => {
    let left = false;
    const timer = setTimeout(async () => {
      try {
        const shown = field.current;
        if (!shown) return;
        const written = shown.value;
        const now = await finder.find(written, query);
        if (left) return;
        const caret = shown.selectionStart;
        const place = now.matches.findIndex(({ from }) => from >= caret);
        const next = now.matches.length === 0 ? -1 : Math.max(place, 0);
        marks.current?.show(written, now.matches, next);
        if (now.matches[next]) marks.current?.reveal(now.matches[next]);
        setFault('');
        setState({ found: now, current: next });
      } catch (problem) {
        if (left) return;
        marks.current?.show('', [], -1);
        setState({ found: none, current: -1 });
        setFault(problem instanceof FindFault ? problem.message : 'The search could not run.');
      }
    }, pauseMilliseconds);
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [query, text, page.id]);
  useEffect(() => {
    if (field.current && current >= 0) marks.current?.show(field.current.value, found.matches, current);
  }, [current, found]);
  return { finder, found, current, goTo, fault };
}
