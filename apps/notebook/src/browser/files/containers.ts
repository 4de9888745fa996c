/** A quote, a list item or a note that a line is in. An item or note has the width by which its further lines are indented. */
type Container = 'quote' | number;

const quoteMark = /^ {0,3}>[ \t]?/;
const itemMark = /^( {0,3}(?:[-*+]|\d{1,9}[.)]))([ \t]+|$)/;
const noteMark = /^ {0,3}\[\^[^\]\s[]{1,200}\]:[ \t]*/;
/** How far the further lines of a note are indented, whatever its label. */
const noteWidth = 4;
export const divider = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
/** The start of a block that ends a paragraph without an empty line, as a divider does. */
const blockStart = /^ {0,3}(?:>|[-*+](?:[ \t]|$)|\d{1,9}[.)](?:[ \t]|$)|#{1,6}(?:[ \t]|$)|`{3}|~{3}|\[\^[^\]\s[]{1,200}\]:)/;
/** Nobody nests deeper, and each level is compared on every line. */
const mostNested = 50;
const longestMarks = 1_000;

/** Follows the quotes, list items and notes of a text (CommonMark §5), a line at a time. */
export class Containers {
  #open: Container[] = [];

  /**
   * @param inParagraph whether the line may go on with a paragraph without the marks of its quotes and items
   * @returns the line without the marks, and whether a block begins or ends at it
   */
  enter(line: string, inParagraph: boolean): { readonly rest: string; readonly isNew: boolean; readonly isLazy: boolean } {
    const [kept, before] = this.#within(line);
    if (kept < this.#open.length && inParagraph && before.trim() !== '' && !blockStart.test(before) && !divider.test(before)) {
      return { rest: before, isNew: false, isLazy: true };
    }
    this.#open = this.#open.slice(0, kept);
    let rest = before;
    let isNew = rest.trim() === '';
    while (this.#open.length < mostNested && !/^ {4}/.test(rest)) {
      const quote = quoteMark.exec(rest);
      const item = quote || divider.test(rest) ? null : itemMark.exec(rest);
      const note = noteMark.exec(rest);
      if (quote) this.#open.push('quote');
      else if (item) this.#open.push(widthOf(item, rest));
      else if (note) this.#open.push(noteWidth);
      else break;
      rest = item ? insideItem(item, rest, this.#open.at(-1) as number) : expanded(rest.slice((quote ?? note)![0].length));
      isNew = true;
    }
    return { rest, isNew, isLazy: false };
  }

  /** The line without the marks of the quotes and items that are open, or undefined if it is not in all of them. */
  inside(line: string): string | undefined {
    const [kept, rest] = this.#within(line);
    return kept === this.#open.length ? rest : undefined;
  }

  /** How many of the open quotes and items the line is in, and the line without their marks. */
  #within(line: string): [number, string] {
    let rest = expanded(line.slice(0, longestMarks)) + line.slice(longestMarks);
    for (const [place, container] of this.#open.entries()) {
      if (container === 'quote') {
        const mark = quoteMark.exec(rest);
        if (!mark) return [place, rest];
        rest = expanded(rest.slice(mark[0].length));
      } else if (rest.trim() !== '' && rest.search(/[^ ]/) < container) return [place, rest];
      else rest = withoutIndent(rest, container);
    }
    return [this.#open.length, rest];
  }
}

/** Five spaces and more after a marker are one space and indented code. */
function widthOf([, marker, blanks]: RegExpExecArray, line: string): number {
  const gap = expanded(blanks!, marker!.length).length;
  const isEmpty = line.slice(marker!.length).trim() === '';
  return marker!.length + (isEmpty || gap > 4 ? 1 : gap);
}

/** The first line of an item as its further lines are: indented by the item's width, and then without that. */
const insideItem = ([, marker]: RegExpExecArray, line: string, width: number): string =>
  withoutIndent(' '.repeat(marker!.length) + expanded(line.slice(marker!.length), marker!.length), width);

const withoutIndent = (text: string, width: number): string => text.slice(Math.min(width, Math.max(0, text.search(/[^ ]|$/))));

/** Tabs at the start as spaces. @param column where the text begins */
function expanded(text: string, column = 0): string {
  const blanks = /^[ \t]*/.exec(text)![0];
  if (!blanks.includes('\t')) return text;
  let end = column;
  for (const blank of blanks) end += blank === '\t' ? 4 - (end % 4) : 1;
  return ' '.repeat(end - column) + text.slice(blanks.length);
}
