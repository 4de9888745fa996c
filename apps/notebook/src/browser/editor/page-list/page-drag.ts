import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

type Drop = (from: number, to: number) => void;

/** Reorders pages by mouse, pen and finger. A finger must use the grip, because elsewhere it scrolls the list. */
export function usePageDrag(list: RefObject<HTMLOListElement | null>, on: boolean, drop: Drop): void {
  const newest = useRef(drop);
  newest.current = drop;
  useEffect(() => {
    if (!on || !list.current) return;
    const drag = new PageDrag(list.current, (from, to) => newest.current(from, to));
    return () => drag.end();
  }, [on]);
}

/** A shorter movement counts as a click by an unsteady hand. */
const firstPixels = 6;
const edgePixels = 36;
const scrollPixels = 9;

interface Held {
  readonly row: HTMLElement;
  readonly startY: number;
}

class PageDrag {
  readonly #list: HTMLOListElement;
  readonly #drop: Drop;
  readonly #line = document.createElement('div');
  readonly #listening = new AbortController();
  #held: Held | undefined;
  #dragging = false;
  #to = 0;
  #y = 0;
  #frame = 0;

  constructor(list: HTMLOListElement, drop: Drop) {
    this.#list = list;
    this.#drop = drop;
    this.#line.className = 'drop-line';
    const { signal } = this.#listening;
    list.addEventListener('pointerdown', event => this.#take(event), { signal });
    list.addEventListener('pointermove', event => this.#move(event), { signal });
    list.addEventListener('pointerup', () => this.#release(true), { signal });
    list.addEventListener('pointercancel', () => this.#release(false), { signal });
    // The browser's own drag of a button's text would end ours.
    list.addEventListener('dragstart', event => event.preventDefault(), { signal });
    document.addEventListener('keydown', event => this.#escape(event), { signal, capture: true });
  }

  end(): void {
    this.#release(false);
    this.#listening.abort();
  }

  #take(event: PointerEvent): void {
    const target = event.target as Element;
    const grip = target.closest('.page-grip');
    const row = (grip ?? (event.pointerType === 'mouse' ? target.closest('.page-pick') : null))?.closest<HTMLElement>('li');
    if (!row || event.button !== 0 || !event.isPrimary) return;
    this.#held = { row, startY: event.clientY };
  }

  #move(event: PointerEvent): void {
    if (!this.#held) return;
    this.#y = event.clientY;
    if (!this.#dragging) {
      if (Math.abs(event.clientY - this.#held.startY) < firstPixels) return;
      this.#begin(event.pointerId);
    }
    this.#show();
  }

  #begin(pointerId: number): void {
    this.#dragging = true;
    this.#list.setPointerCapture(pointerId);
    this.#held!.row.dataset.dragged = '';
    this.#list.dataset.dragging = '';
    this.#list.append(this.#line);
    this.#frame = requestAnimationFrame(() => this.#scroll());
  }

  /** Finds the gap nearest to the pointer and shows the line in it. The list may have changed from outside since the drag began. */
  #show(): void {
    const rows = this.#rows();
    const from = rows.indexOf(this.#held!.row);
    const y = this.#y - this.#list.getBoundingClientRect().top + this.#list.scrollTop;
    const gap = rows.filter(({ offsetTop, offsetHeight }) => offsetTop + offsetHeight / 2 < y).length;
    this.#to = gap > from ? gap - 1 : gap;
    const below = rows[gap];
    const last = rows.at(-1)!;
    this.#line.style.top = `${below ? below.offsetTop : last.offsetTop + last.offsetHeight}px`;
  }

  #scroll(): void {
    if (!this.#dragging) return;
    const { top, bottom } = this.#list.getBoundingClientRect();
    const by = this.#y < top + edgePixels ? -scrollPixels : this.#y > bottom - edgePixels ? scrollPixels : 0;
    if (by !== 0) {
      this.#list.scrollTop += by;
      this.#show();
    }
    this.#frame = requestAnimationFrame(() => this.#scroll());
  }

  #release(keep: boolean): void {
    const held = this.#held;
    if (held && this.#dragging) this.#show();
    this.#held = undefined;
    if (!held || !this.#dragging) return;
    this.#dragging = false;
    cancelAnimationFrame(this.#frame);
    this.#line.remove();
    delete held.row.dataset.dragged;
    delete this.#list.dataset.dragging;
    this.#swallowClick();
    const from = this.#rows().indexOf(held.row);
    if (keep && from >= 0 && this.#to !== from) this.#drop(from, this.#to);
  }

  /** The click that follows the release of the mouse would open the dragged page. */
  #swallowClick(): void {
    const swallow = (event: Event): void => event.stopPropagation();
    this.#list.addEventListener('click', swallow, { capture: true, once: true });
    setTimeout(() => this.#list.removeEventListener('click', swallow, { capture: true }));
  }

  #escape(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || !this.#dragging) return;
    event.preventDefault();
    event.stopPropagation();
    this.#release(false);
  }

  #rows(): HTMLElement[] {
    return [...this.#list.querySelectorAll<HTMLElement>(':scope > li')];
  }
}
