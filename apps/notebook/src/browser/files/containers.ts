/** A quote or a list item that a line is in. An item has the width of its marker, by which its further lines are indented. */
type Container = 'quote' | number;

const quoteMark = /^ {0,3}>[ \t]?/;
const itemMark = /^( {0,3}(?:[-*+]|\d{1,9}[.)]))([ \t]+|$)/;
const divider = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
/** Nobody nests deeper, and each level is compared on every line. */
const mostNested = 50;
const longestMarks = 1_000;

/** Follows the quotes and list items of a text (CommonMark §5), a line at a time. A lazy line counts as outside of them. */
export class Containers {
  #open: Container[] = [];

  /** @returns the line without the marks of quotes and items, and whether a block begins or ends at it */
  enter(line: string): { readonly rest: string; readonly isNew: boolean } {
    const [kept, before] = this.#within(line);
    this.#open = this.#open.slice(0, kept);
    let rest = before;
    let isNew = rest.trim() === '';
    while (this.#open.length < mostNested && !/^ {4}/.test(rest)) {
      const quote = quoteMark.exec(rest);
      const item = quote || divider.test(rest) ? null : itemMark.exec(rest);
      if (quote) this.#open.push('quote');
      else if (item) this.#open.push(widthOf(item, rest));
      else break;
      rest = quote
        ? expanded(rest.slice(quote[0].length))
        : withoutIndent(
            rest.replace(itemMark, marks => ' '.repeat(marks.length)),
            this.#open.at(-1) as number,
          );
      isNew = true;
    }
    return { rest, isNew };
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
  const gap = expanded(blanks!).length;
  const isEmpty = line.slice(marker!.length).trim() === '';
  return marker!.length + (isEmpty || gap > 4 ? 1 : gap);
}

const withoutIndent = (text: string, width: number): string => text.slice(Math.min(width, Math.max(0, text.search(/[^ ]|$/))));

/** Tabs at the start as spaces. */
function expanded(text: string): string {
  const blanks = /^[ \t]*/.exec(text)![0];
  if (!blanks.includes('\t')) return text;
  let columns = 0;
  for (const blank of blanks) columns += blank === '\t' ? 4 - (columns % 4) : 1;
  return ' '.repeat(columns) + text.slice(blanks.length);
}
