import type { RefObject, VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { findFence } from '../field/formatting/fence.ts';
import { isComposing } from '../field/formatting/key-names.ts';
import { applyEdit } from '../field/text/text-edit.ts';

const mostShown = 8;
const typedName = /(?:^|[^\w:]):([a-z0-9_+-]{2,40})$/;

interface Offer {
  /** Kept, because another page may be shown by the time a name is chosen. */
  readonly field: HTMLTextAreaElement;
  /** Where the colon is. */
  readonly from: number;
  readonly to: number;
  readonly names: readonly (readonly [name: string, emoji: string])[];
}

/** Offers emoji whose names contain what is typed, such as `:ro`. The list is below the text, where no phone keyboard covers it. */
export function EmojiNames({ field }: { field: RefObject<HTMLTextAreaElement | null> }): VNode | null {
  const [offer, setOffer] = useState<Offer>();
  const [chosen, setChosen] = useState(0);
  const latest = useRef({ offer, chosen });
  const composing = useRef(false);
  latest.current = { offer, chosen };
  const take = (place: number): void => {
    const { offer } = latest.current;
    const name = offer?.names[place]?.[0];
    setOffer(undefined);
    if (!offer || name === undefined || offer.field !== field.current) return;
    // Leaving the field commits the word that a phone's keyboard is composing.
    if (composing.current) offer.field.blur();
    const insert = `:${name}:`;
    const end = offer.from + insert.length;
    applyEdit(offer.field, { from: offer.from, to: offer.to, insert, start: end, end });
  };
  // A layout effect, to listen before the first key: an effect may run a frame later.
  useLayoutEffect(() => {
    const ending = new AbortController();
    const on = (kind: string, hear: (event: Event) => void) =>
      document.addEventListener(kind, hear, { signal: ending.signal, capture: true });
    let list: EmojiList | undefined;
    let asked = 0;
    const show = (made: Offer | undefined): void => {
      setChosen(0);
      setOffer(made);
    };
    // Runs in the same task as the letter, because the next key may choose from the result. Only the first look waits for the list to load.
    const look = (): void => {
      const mine = ++asked;
      const typed = field.current ? typedIn(field.current) : undefined;
      if (typed === undefined || list) {
        show(typed && list && offerFor(field.current!, typed, list));
        return;
      }
      loadEmoji().then(
        loaded => {
          list = loaded;
          if (!ending.signal.aborted && mine === asked) look();
        },
        // Without a network there is no list and nothing to offer.
        () => {},
      );
    };
    // Phone keyboards compose every word. Elsewhere, composed text is about to become another script.
    on('input', event => {
      const isWritten = !(event as InputEvent).isComposing || matchMedia('(pointer: coarse)').matches;
      if (event.target === field.current && isWritten) look();
    });
    on('compositionstart', () => {
      composing.current = true;
    });
    on('compositionend', () => {
      composing.current = false;
    });
    // Not all browsers fire `selectionchange` when the field loses the focus.
    on('focusout', event => event.target === latest.current.offer?.field && show(undefined));
    on('selectionchange', () => {
      const { offer } = latest.current;
      const stands = field.current === document.activeElement && field.current?.selectionEnd === offer?.to;
      if (offer && !stands) setOffer(undefined);
    });
    on('keydown', event => {
      const { offer, chosen } = latest.current;
      if (isComposing(event as KeyboardEvent)) return;
      const { key, ctrlKey, metaKey, altKey, shiftKey } = event as KeyboardEvent;
      // Escape also cancels a look that is still loading.
      if (key === 'Escape') asked += 1;
      if (!offer || event.target !== field.current || ctrlKey || metaKey || altKey || shiftKey) return;
      const step = { ArrowDown: 1, ArrowUp: -1 }[key];
      if (step !== undefined) setChosen((chosen + step + offer.names.length) % offer.names.length);
      else if (key === 'Enter' || key === 'Tab') take(chosen);
      else if (key === 'Escape') setOffer(undefined);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    return () => ending.abort();
  }, []);
  useLayoutEffect(() => {
    if (!offer) return;
    describe(offer.field, `emoji-name-${chosen}`);
    return () => describe(offer.field, undefined);
  }, [offer, chosen]);
  if (!offer) return null;
  return (
    <div class="emoji-names" id="emoji-names" role="listbox" aria-label="Emoji">
      {offer.names.map(([name, emoji], place) => (
        <button
          key={name}
          type="button"
          tabIndex={-1}
          id={`emoji-name-${place}`}
          role="option"
          aria-selected={place === chosen}
          class="emoji-name"
          // Keeps the focus in the text.
          onMouseDown={event => event.preventDefault()}
          onClick={() => take(place)}
        >
          {emoji} <span>{name}</span>
        </button>
      ))}
    </div>
  );
}

/** Tells screen readers what Enter would take, because the focus stays in the field. */
function describe(field: HTMLTextAreaElement, active: string | undefined): void {
  for (const [name, value] of [
    ['aria-activedescendant', active],
    ['aria-controls', active && 'emoji-names'],
    ['aria-autocomplete', active && 'list'],
  ] as const) {
    if (value) field.setAttribute(name, value);
    else field.removeAttribute(name);
  }
}

/** The part of a name before the caret. */
interface TypedName {
  readonly name: string;
  /** The caret's offset. */
  readonly to: number;
}

function typedIn({ selectionStart: to, selectionEnd, value, readOnly }: HTMLTextAreaElement): TypedName | undefined {
  const name = typedName.exec(value.slice(Math.max(0, to - 50), to))?.[1];
  return name === undefined || to !== selectionEnd || readOnly || isCode(value, to) ? undefined : { name, to };
}

const loadEmoji = () => import('../../markdown/emoji/emoji.ts');
type EmojiList = Awaited<ReturnType<typeof loadEmoji>>;

function offerFor(field: HTMLTextAreaElement, { name: typed, to }: TypedName, list: EmojiList): Offer | undefined {
  const all = [...list.emojiNames()];
  const names = [
    ...all.filter(([name]) => name.startsWith(typed)),
    ...all.filter(([name]) => name.includes(typed) && !name.startsWith(typed)),
  ].slice(0, mostShown);
  return names.length === 0 ? undefined : { field, from: to - typed.length - 1, to, names };
}

function isCode(text: string, at: number): boolean {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return line.split('`').length % 2 === 0 || /^(?: {4}|\t)/.test(line) || findFence(text, at) !== undefined;
}
