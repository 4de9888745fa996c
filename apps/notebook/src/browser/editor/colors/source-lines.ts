import { sharedEnds } from '../../merge/shared-ends.ts';
import type { Token } from './inline-tokens.ts';
import { type LineState, stateAfter, tokensOf } from './line-tokens.ts';

/** A range of lines, `to` excluded. */
export interface Lines {
  readonly from: number;
  readonly to: number;
}

/** The lines of a text in a column, each in a box. A change replaces only the lines that differ. */
export class SourceLines {
  readonly #column: HTMLElement;
  #lines: readonly string[] = [];
  #boxes: readonly HTMLElement[] = [];
  /** The state in which each line begins. */
  #states: readonly LineState[] = [];

  constructor(column: HTMLElement) {
    this.#column = column;
  }

  take(lines: readonly string[]): void {
    const { head, tail } = sharedEnds(this.#lines, lines);
    const oldEnd = this.#lines.length - tail;
    const newEnd = lines.length - tail;
    const same = Math.min(oldEnd, newEnd);
    for (let at = head; at < same; at += 1) this.textOf(at).data = shownText(lines[at]!);
    for (const box of this.#boxes.slice(same, oldEnd)) box.remove();
    const made = lines.slice(same, newEnd).map(createBox);
    const added = document.createDocumentFragment();
    added.append(...made);
    this.#column.insertBefore(added, this.#boxes[oldEnd] ?? null);
    this.#boxes = [...this.#boxes.slice(0, same), ...made, ...this.#boxes.slice(oldEnd)];
    this.#carryStates(lines, { head, oldEnd, newEnd });
    this.#lines = lines;
  }

  textOf(line: number): Text {
    return this.#boxes[line]!.firstChild as Text;
  }

  tokensOf(line: number): readonly Token[] {
    return tokensOf(this.#lines[line]!, this.#states[line]!);
  }

  /** The lines that lie at least partly between two heights of the column. */
  between(top: number, bottom: number): Lines {
    return { from: this.#lineAt(top), to: this.#lineAt(bottom) + 1 };
  }

  /** @returns the line and the offset in it */
  placeOf(offset: number): { line: number; at: number } {
    let line = 0;
    let at = offset;
    while (line < this.#lines.length - 1 && at > this.#lines[line]!.length) at -= this.#lines[line++]!.length + 1;
    return { line, at };
  }

  #lineAt(y: number): number {
    let low = 0;
    let high = this.#boxes.length;
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if (this.#boxes[middle]!.offsetTop <= y) low = middle;
      else high = middle;
    }
    return low;
  }

  /** Updates the states from the change on, until a line after it begins in the same state as before. */
  #carryStates(lines: readonly string[], { head, oldEnd, newEnd }: { head: number; oldEnd: number; newEnd: number }): void {
    const states = this.#states.slice(0, head);
    let state = head === 0 ? '' : stateAfter(lines[head - 1]!, states[head - 1]!);
    for (let at = head; at < lines.length; at += 1) {
      const old = oldEnd + at - newEnd;
      if (at >= newEnd && this.#states[old] === state) {
        this.#states = [...states, ...this.#states.slice(old)];
        return;
      }
      states.push(state);
      state = stateAfter(lines[at]!, state);
    }
    this.#states = states;
  }
}

/** An empty box would have no height. */
const shownText = (line: string): string => line || '\n';

function createBox(line: string): HTMLElement {
  const box = document.createElement('div');
  box.append(shownText(line));
  return box;
}
