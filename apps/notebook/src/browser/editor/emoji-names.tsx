import type { RefObject, VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { findFence } from '../field/formatting/fence.ts';
import { isComposing } from '../field/formatting/key-names.ts';
import { applyEdit } from '../field/text/text-edit.ts';

const mostShown = 8;
const typedName = /(?:^|[^\w:]):([a-z0-9_+-]{2,40})$/;

interface Offer {
  /** Another page may be shown by the time one is chosen. */
  readonly field: HTMLTextAreaElement;
  /** Where the colon is. */
  readonly from: number;
  readonly to: number;
  readonly names: readonly (readonly [name: string, emoji: string])[];
}

/** While `:ro` is typed: the emoji whose names have it, below the text, so that no keyboard of a phone is in the way. */
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
    // The word that a phone's keyboard composes is the field's own once the field is left.
    if (composing.current) offer.field.blur();
    const insert = `:${name}:`;
    const end = offer.from + insert.length;
    applyEdit(offer.field, { from: offer.from, to: offer.to, insert, start: end, end });
  };
  // Before the first key: an effect may come a frame later.
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
    // In the same turn as the letter: the next key may choose among what it changed. Only the first names wait for their list.
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
        // Out of reach without a network, and then there is nothing to offer.
        () => {},
      );
    };
    // Keyboards of phones compose each word; elsewhere what is composed is still to become another script.
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
    // Not all browsers say that the caret is gone with it.
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
      // What is still waited for is sent away, too.
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
          // A press takes no focus from the text.
          onMouseDown={event => event.preventDefault()}
          onClick={() => take(place)}
        >
          {emoji} <span>{name}</span>
        </button>
      ))}
    </div>
  );
}

/** The field keeps the focus; this says what Enter would take. */
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

/** The part of a name that stands before the caret. */
interface TypedName {
  readonly name: string;
  /** Where the caret is. */
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
