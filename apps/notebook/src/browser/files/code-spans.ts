import { Containers, divider } from './containers.ts';

/** A part of a text that is code, `to` excluded. */
export interface CodeSpan {
  readonly from: number;
  readonly to: number;
}

const fenceLine = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const closingLine = /^ {0,3}(`{3,}|~{3,})[ \t]*$/;
/** A heading, or a row of a table: no code span goes on after it. */
const ownLine = /^ {0,3}(?:#{1,6}(?:[ \t]|$)|\|)/;

const heading = /^ {0,3}#{1,6}(?:[ \t]|$)/;
/** Makes a heading of the paragraph before it. */
const underline = /^ {0,3}(?:=+|-+)[ \t]*$/;

/**
 * Finds the code in a text, in order: fenced blocks, which end at the latest with their quote or list item, indented lines that go on with
 * no paragraph, and spans between backtick runs of the same length in one paragraph.
 */
export function findCode(text: string): CodeSpan[] {
  const found: CodeSpan[] = [];
  const containers = new Containers();
  /** Where the paragraph began. */
  let from = 0;
  let inParagraph = false;
  for (let at = 0; at < text.length; ) {
    const end = endOfLine(text, at);
    const { rest, isNew, isLazy } = containers.enter(lineAt(text, at, end), inParagraph);
    const fence = fenceLine.exec(rest)?.[1];
    const isOwn = ownLine.test(rest);
    const isIndented: boolean = (isNew || !inParagraph) && /^ {4}[ \t]*[^ \t]/.test(rest);
    if (isNew || isOwn || isIndented || fence !== undefined) {
      for (const span of spansIn(text, from, at)) found.push(span);
      from = at;
    }
    if (fence !== undefined) {
      from = endOfFence(text, end, fence, containers);
      found.push({ from: at, to: from });
    } else if (isIndented) {
      from = end;
      found.push({ from: at, to: from });
    } else if (isOwn) {
      for (const span of spansIn(text, at, end)) found.push(span);
      from = end;
    }
    const isText: boolean = rest.trim() !== '' && !isIndented && fence === undefined;
    inParagraph = isText && !heading.test(rest) && !divider.test(rest) && (isLazy || !inParagraph || !underline.test(rest));
    at = Math.max(end, from);
  }
  for (const span of spansIn(text, from, text.length)) found.push(span);
  return found;
}

const lineAt = (text: string, at: number, end: number): string => text.slice(at, text[end - 1] === '\n' ? end - 1 : end);

function endOfLine(text: string, at: number): number {
  const feed = text.indexOf('\n', at);
  return feed === -1 ? text.length : feed + 1;
}

function endOfFence(text: string, start: number, fence: string, containers: Containers): number {
  for (let at = start; at < text.length; ) {
    const end = endOfLine(text, at);
    const rest = containers.inside(lineAt(text, at, end));
    if (rest === undefined) return at;
    if (closingLine.exec(rest)?.[1]?.startsWith(fence)) return end;
    at = end;
  }
  return text.length;
}

interface Run {
  readonly at: number;
  readonly length: number;
  /** Whether a backslash makes its first backtick a letter. In code it does not. */
  readonly escaped: boolean;
}

function spansIn(text: string, from: number, to: number): CodeSpan[] {
  const runs = [...text.slice(from, to).matchAll(/`+/g)].map(
    ({ 0: { length }, index }): Run => ({ at: from + index, length, escaped: isEscaped(text, from + index) }),
  );
  return runs.length < 2 ? [] : pairsOf(runs);
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}

/** Pairs each backtick run of a paragraph with the next of the same length. */
function pairsOf(runs: readonly Run[]): CodeSpan[] {
  const found: CodeSpan[] = [];
  const next = new Map<number, number[]>();
  for (let place = runs.length - 1; place >= 0; place -= 1) {
    const { length } = runs[place]!;
    const places = next.get(length);
    if (places) places.push(place);
    else next.set(length, [place]);
  }
  for (let place = 0; place < runs.length; place += 1) {
    const { at, length, escaped } = runs[place]!;
    const places = next.get(escaped ? length - 1 : length);
    while (places && places.length > 0 && places.at(-1)! <= place) places.pop();
    const closing = places?.at(-1);
    if (closing === undefined) continue;
    found.push({ from: escaped ? at + 1 : at, to: runs[closing]!.at + runs[closing]!.length });
    place = closing;
  }
  return found;
}

/** Replaces what is nowhere in the spans, which must be in order. */
export function replaceOutside(
  text: string,
  spans: readonly CodeSpan[],
  pattern: RegExp,
  replace: (found: RegExpExecArray) => string,
): string {
  let [result, at, next] = ['', 0, 0];
  for (const found of text.matchAll(pattern)) {
    const end = found.index + found[0].length;
    while (next < spans.length && spans[next]!.to <= found.index) next += 1;
    if (next < spans.length && spans[next]!.from < end) continue;
    result += text.slice(at, found.index) + replace(found);
    at = end;
  }
  return result + text.slice(at);
}

/** Tells of one line after the other whether it belongs to a fenced block that is in no list and no quote. */
export class FenceReader {
  #fence = '';

  holds(line: string): boolean {
    if (this.#fence !== '') {
      if (closingLine.exec(line)?.[1]?.startsWith(this.#fence)) this.#fence = '';
      return true;
    }
    this.#fence = fenceLine.exec(line)?.[1] ?? '';
    return this.#fence !== '';
  }
}
