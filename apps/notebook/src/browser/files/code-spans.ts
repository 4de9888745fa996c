/** A part of a text that is code, `to` excluded. */
export interface CodeSpan {
  readonly from: number;
  readonly to: number;
}

const fenceLine = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})/;

/** Finds the code in a text, in order: fenced blocks, and spans between backtick runs of the same length in one paragraph. */
export function findCode(text: string): CodeSpan[] {
  const found: CodeSpan[] = [];
  let at = 0;
  let from = 0;
  while (at < text.length) {
    const end = endOfLine(text, at);
    const fence = fenceLine.exec(text.slice(at, Math.min(end, at + 200)))?.[1];
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
    const closing = /^[ \t>]*(`{3,}|~{3,})[ \t]*$/.exec(text.slice(at, Math.min(end, at + 200)).trimEnd())?.[1];
    if (closing?.startsWith(fence)) return end;
    at = end;
  }
  return text.length;
}

/** Pairs each backtick run with the next of the same length before the paragraph ends. */
function spansIn(text: string, from: number, to: number): CodeSpan[] {
  const found: CodeSpan[] = [];
  const open = new Map<number, number>();
  let paragraph = from;
  for (const run of text.slice(from, to).matchAll(/(`+)|\n[ \t]*\n/g)) {
    const at = from + run.index;
    if (run[1] === undefined) {
      open.clear();
      paragraph = at;
      continue;
    }
    const { length } = run[1];
    const start = open.get(length);
    if (start === undefined || start < paragraph) {
      open.set(length, at);
      continue;
    }
    found.push({ from: start, to: at + length });
    open.clear();
    paragraph = at + length;
  }
  return found;
}

/** Changes only the text outside code. */
export function outsideCode(text: string, change: (prose: string) => string): string {
  let result = '';
  let at = 0;
  for (const { from, to } of findCode(text)) {
    result += change(text.slice(at, from)) + text.slice(from, to);
    at = to;
  }
  return result + change(text.slice(at));
}
