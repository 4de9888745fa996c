import { changedPart } from '../text/changed-part.ts';
import type { FieldText, TextEdit } from '../text/field-text.ts';

export type MoveCaret = (before: string, after: string, caret: number) => number;

/** A range of a text that something is inserted into later. It stays beside the same letters while the text changes. */
export class TrackedRange {
  #text: string;
  #start: number;
  #end: number;

  constructor({ text, start, end }: FieldText) {
    this.#text = text;
    this.#start = start;
    this.#end = end;
  }

  get now(): FieldText {
    return { text: this.#text, start: this.#start, end: this.#end };
  }

  /** Text typed at the range itself ends up after it, as if the paste had been there at once. */
  follow(text: string, moveCaret?: MoveCaret): void {
    if (text === this.#text) return;
    const [before, start, end] = [this.#text, this.#start, this.#end];
    const { from, to, insert } = changedPart(before, text);
    const grown = insert.length - (to - from);
    if (from >= end) this.#set(text, start, end);
    else if (to <= start) this.#set(text, start + grown, end + grown);
    else {
      // The selected text has changed, and a paste must not replace the new text.
      const place = start <= from ? start : moveCaret ? moveCaret(before, text, start) : from;
      this.#set(text, place, place);
    }
  }

  /** Puts words into a text where the range is in it. The range itself stays with the text it follows. */
  putInto(text: string, words: string, moveCaret?: MoveCaret): string {
    const range = new TrackedRange(this.now);
    range.follow(text, moveCaret);
    const { start, end } = range.now;
    return text.slice(0, start) + words + text.slice(end);
  }

  /** Moves the range behind an earlier paste that is being inserted, even at the same place. */
  moveBehind({ from, to, insert }: TextEdit): void {
    const text = this.#text.slice(0, from) + insert + this.#text.slice(to);
    const move = (place: number): number => {
      if (place < from) return place;
      return place >= to ? place + insert.length - (to - from) : from + insert.length;
    };
    this.#set(text, move(this.#start), move(this.#end));
  }

  #set(text: string, start: number, end: number): void {
    this.#text = text;
    this.#start = start;
    this.#end = Math.max(start, end);
  }
}
