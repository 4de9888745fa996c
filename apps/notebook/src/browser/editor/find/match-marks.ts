import { FieldUnderlay } from '../../field/text/field-underlay.ts';
import type { Match } from './find-matches.ts';

/** More marks would slow down every key, and nobody counts them by eye. */
const mostMarked = 2_000;

/**
 * Marks behind a text field: an invisible copy of its text on which the browser paints highlights (CSS Custom Highlight API). The field
 * itself shows no selection without the focus, and does not tell where a place in its text is on the screen.
 */
export class MatchMarks {
  readonly #field: HTMLTextAreaElement;
  readonly #underlay: FieldUnderlay;
  readonly #text = document.createTextNode('');

  constructor(field: HTMLTextAreaElement) {
    this.#field = field;
    this.#underlay = new FieldUnderlay(field, 'match-marks');
    this.#underlay.column.append(this.#text);
  }

  show(text: string, matches: readonly Match[], current: number): void {
    if (this.#text.data !== text) this.#text.data = text;
    const from = Math.max(0, Math.min(current, matches.length - 1) - mostMarked / 2);
    const marked = matches.slice(from, from + mostMarked);
    paint(
      'octavo-found',
      marked.filter((_, at) => from + at !== current).map(match => this.#range(match)),
    );
    const now = matches[current];
    paint('octavo-found-now', now ? [this.#range(now)] : []);
  }

  /** Scrolls the match into view. */
  reveal(match: Match): void {
    const place = this.#range(match).getBoundingClientRect();
    const seen = this.#field.getBoundingClientRect();
    const margin = Math.min(80, seen.height / 4);
    if (place.top >= seen.top + margin && place.bottom <= seen.bottom - margin) return;
    this.#field.scrollTop += place.top - seen.top - seen.height / 3;
    this.#underlay.follow();
  }

  close(): void {
    this.#underlay.close();
    paint('octavo-found', []);
    paint('octavo-found-now', []);
  }

  #range({ from, to }: Match): Range {
    const range = document.createRange();
    range.setStart(this.#text, Math.min(from, this.#text.length));
    range.setEnd(this.#text, Math.min(to, this.#text.length));
    return range;
  }
}

/** Does nothing in browsers without highlights. There the match is only scrolled to, and selected when the panel closes. */
function paint(name: string, ranges: readonly Range[]): void {
  if (!('highlights' in CSS)) return;
  if (ranges.length === 0) CSS.highlights.delete(name);
  else CSS.highlights.set(name, new Highlight(...ranges));
}
