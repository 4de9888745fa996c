import { expect, vi } from 'vitest';
import type { BrowserWindow, Point } from './browser-window.ts';
import type { Made } from './service-process.ts';

/** The longest wait for the browser on a busy machine. */
const longWait = { timeout: 30_000, interval: 50 };

/** How long a script waits in the page before it answers: a look from outside costs many times what one in the page does. */
const timeoutMs = 1_000;

/** Repeats the read until the expectation holds. */
export const eventually = <Value>(read: () => Value | Promise<Value>) => expect.poll(read, longWait);

/** A person at one window, who sees names and words, and uses keys and a pointer. */
export class Person {
  readonly window: BrowserWindow;
  readonly origin: string;

  constructor(window: BrowserWindow, origin: string) {
    this.window = window;
    this.origin = origin;
  }

  open(path: string): Promise<void> {
    return this.window.open(this.origin + path);
  }

  async openEditor({ editToken }: Pick<Made, 'editToken'>): Promise<void> {
    await this.open(`/e/${editToken}`);
    await this.sees('#markdown-field');
  }

  /** Whether an editor is open here. It is not where the browser has ended. */
  hasEditor(): Promise<boolean> {
    return this.isSeen('#markdown-field').catch(() => false);
  }

  /** @param target the name of a control, or a selector that begins with `#`, `.` or `[` */
  async click(target: string): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      const at = await this.placeOf(target);
      await this.window.point(at);
      // Content that loaded late may have moved it from under the pointer.
      const now = await this.window.run(findPlace, { target, timeoutMs: 0 });
      if (tries === 10 || (now?.x === at.x && now.y === at.y)) break;
    }
    await this.window.down();
    await this.window.up();
  }

  async clickAt(at: Point): Promise<void> {
    await this.window.point(at);
    await this.window.down();
    await this.window.up();
  }

  /** The middle of the area where the pointer would hit the target, once it stands still. */
  placeOf(target: string): Promise<Point> {
    return vi.waitFor(async () => {
      const place = await this.window.run(findPlace, { target, timeoutMs });
      if (!place) throw new Error(`There is no “${target}” that stands still, to point at`);
      return place;
    }, longWait);
  }

  /** Drags with the button held, through the points in between. */
  async drag(from: Point, to: Point, before: () => Promise<void> = async () => {}): Promise<void> {
    await this.window.point(from);
    await this.window.down();
    for (const part of [0.2, 0.6, 1])
      await this.window.point({ x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part });
    await before();
    await this.window.up();
  }

  /** Focuses a control by name or selector, as Tab would. */
  async focus(target: string): Promise<void> {
    await this.placeOf(target);
    await this.window.run(focusOn, target);
  }

  /** Presses Tab until the focus is on the control with this name. */
  async tabTo(name: RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
    for (let presses = 0; presses < 60; presses += 1) {
      await this.window.press(key);
      if (name.test(await this.focused())) return;
    }
    throw new Error(`The keyboard does not reach ${name}`);
  }

  /** The name of the focused control. */
  focused(): Promise<string> {
    return this.window.run(nameOfFocus, undefined);
  }

  async sees(css: string): Promise<void> {
    await eventually(() => this.window.run(isDrawn, { css, timeoutMs })).toBe(true);
  }

  isSeen(css: string): Promise<boolean> {
    return this.window.run(isDrawn, { css, timeoutMs: 0 });
  }

  async reads(words: string | RegExp): Promise<void> {
    const form = typeof words === 'string' ? expect.stringContaining(words) : expect.stringMatching(words);
    const wanted = typeof words === 'string' ? { words, timeoutMs } : { words: words.source, flags: words.flags, timeoutMs };
    await eventually(() => this.window.run(readAll, wanted)).toEqual(form);
  }

  texts(css: string): Promise<string[]> {
    return this.window.run(
      selector => [...document.querySelectorAll(selector)].map(each => (each.textContent ?? '').trim()),
      css,
    );
  }

  value(css: string): Promise<string> {
    return this.window.run(selector => document.querySelector<HTMLInputElement>(selector)!.value, css);
  }

  style(css: string, property: string): Promise<string> {
    return this.window.run(([selector, name]) => getComputedStyle(document.querySelector(selector)!).getPropertyValue(name), [
      css,
      property,
    ] as const);
  }

  /** A file that the browser saved. */
  async saved(name: string): Promise<Buffer> {
    return vi.waitFor(async () => {
      const bytes = await this.window.downloaded(name);
      if (!bytes) throw new Error(`${name} was not saved`);
      return bytes;
    }, longWait);
  }

  /** Places the caret after these words and types. */
  async typeAfter(words: string, typed: string): Promise<void> {
    await this.window.run(after => {
      const field = document.querySelector<HTMLTextAreaElement>('#markdown-field')!;
      const place = field.value.indexOf(after) + after.length;
      field.focus();
      field.setSelectionRange(place, place);
    }, words);
    await this.window.type(typed);
  }
}

// These run in the page, so each must be self-contained.

async function findPlace({ target, timeoutMs }: { target: string; timeoutMs: number }): Promise<Point | undefined> {
  const nameOf = (element: Element): string => {
    const labels = [...((element as HTMLInputElement).labels ?? [])].map(label => label.textContent);
    return (element.getAttribute('aria-label') ?? labels[0] ?? element.textContent ?? '').trim();
  };
  const look = (): Point | undefined => {
    const all = /^[#.[]/.test(target)
      ? [...document.querySelectorAll(target)]
      : [...document.querySelectorAll('button, a[href], summary, input, select, textarea, [role]')].filter(
          element => nameOf(element) === target,
        );
    for (const element of all) {
      const isIn = ({ x, y }: Point) => x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;
      const middle = (): Point => {
        const box = element.getBoundingClientRect();
        return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
      };
      if (element.getClientRects().length === 0) continue;
      if (!isIn(middle())) element.scrollIntoView({ block: 'center', behavior: 'instant' });
      const at = middle();
      const met = document.elementFromPoint(at.x, at.y);
      // A label is hit at the place of its hidden field, and belongs to it.
      if (met && (element.contains(met) || met.contains(element) || met.closest('label')?.contains(element))) return at;
    }
    return undefined;
  };
  let place = look();
  if (timeoutMs === 0) return place;
  for (const end = performance.now() + timeoutMs; performance.now() < end; ) {
    await new Promise(resolve => setTimeout(resolve, 50));
    const before = place;
    place = look();
    if (place && before?.x === place.x && before.y === place.y) return place;
  }
  return undefined;
}

function focusOn(target: string): void {
  const all = /^[#.[]/.test(target)
    ? document.querySelectorAll<HTMLElement>(target)
    : document.querySelectorAll<HTMLElement>('button, a[href], summary, input, select, textarea, [role], [tabindex]');
  for (const element of all) {
    const labels = [...((element as HTMLInputElement).labels ?? [])].map(label => label.textContent);
    const name = (element.getAttribute('aria-label') ?? labels[0] ?? element.textContent ?? '').trim();
    if (element.getClientRects().length === 0 || (!/^[#.[]/.test(target) && name !== target)) continue;
    element.focus();
    return;
  }
}

function nameOfFocus(): string {
  const element = document.activeElement as HTMLInputElement | null;
  return (element?.getAttribute('aria-label') ?? element?.labels?.[0]?.textContent ?? element?.textContent ?? '').trim();
}

async function isDrawn({ css, timeoutMs }: { css: string; timeoutMs: number }): Promise<boolean> {
  const look = () =>
    [...document.querySelectorAll(css)].some(
      element => element.getClientRects().length > 0 && getComputedStyle(element).visibility === 'visible',
    );
  for (const end = performance.now() + timeoutMs; !look(); ) {
    if (performance.now() >= end) return false;
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  return true;
}

/** All that the page says, once it says this or the time is up. */
async function readAll({ words, flags, timeoutMs }: { words: string; flags?: string; timeoutMs: number }): Promise<string> {
  const isThere = (text: string) => (flags === undefined ? text.includes(words) : new RegExp(words, flags).test(text));
  let text = document.body.innerText;
  for (const end = performance.now() + timeoutMs; performance.now() < end && !isThere(text); ) {
    await new Promise(resolve => setTimeout(resolve, 50));
    text = document.body.innerText;
  }
  return text;
}
