/** A part of a text that is code, `to` excluded. */
export interface CodeSpan {
  readonly from: number;
  readonly to: number;
}

/** Quote and list marks may come before a fence. A line with more backticks after the first ones is words with a code span. */
const fenceLine = /^(?:[ \t>]|(?:[-*+]|\d{1,9}[.)])[ \t]){0,100}(`{3,}(?=[^`]*$)|~{3,})/;
const closingLine = /^[ \t>]*(`{3,}|~{3,})[ \t]*$/;

/** Finds the code in a text, in order: fenced blocks, and spans between backtick runs of the same length in one paragraph. */
export function findCode(text: string): CodeSpan[] {
  const found: CodeSpan[] = [];
  let at = 0;
  let from = 0;
  while (at < text.length) {
    const end = endOfLine(text, at);
    const fence = fenceLine.exec(text.slice(at, end))?.[1];
    if (fence === undefined) {
      at = end;
      continue;
    }
    for (const span of spansIn(text, from, at)) found.push(span);
    const to = endOfFence(text, end, fence);
    found.push({ from: at, to });
    [at, from] = [to, to];
  }
  for (const span of spansIn(text, from, text.length)) found.push(span);
  return found;
}

function endOfLine(text: string, at: number): number {
  const feed = text.indexOf('\n', at);
  return feed === -1 ? text.length : feed + 1;
}

function endOfFence(text: string, start: number, fence: string): number {
  for (let at = start; at < text.length; ) {
    const end = endOfLine(text, at);
    const closing = closingLine.exec(text.slice(at, Math.min(end, at + 200)).trimEnd())?.[1];
    if (closing?.startsWith(fence)) return end;
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
  const found: CodeSpan[] = [];
  let runs: Run[] = [];
  for (const part of text.slice(from, to).matchAll(/(`+)|\n[ \t]*\n/g)) {
    if (part[1] === undefined) {
      for (const span of pairsOf(runs)) found.push(span);
      runs = [];
    } else runs.push({ at: from + part.index, length: part[1].length, escaped: isEscaped(text, from + part.index) });
  }
  for (const span of pairsOf(runs)) found.push(span);
  return found;
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
      const closing = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
      if (closing?.startsWith(this.#fence)) this.#fence = '';
      return true;
    }
    this.#fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1] ?? '';
    return this.#fence !== '';
  }
}
