/** The number of letters to look for in the rendered text, and the fewest that identify a line. */
const knownLetters = 24;
const fewestLetters = 6;
/** How many lines to try, from the topmost visible one. A line of markup alone has no letters to look for. */
const mostLines = 40;
const lettersOf = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, '');

/** Notes the reader's place before the text is replaced. @returns a function that scrolls back to it */
export function saveScrollPosition(): () => void {
  const { style } = document.documentElement;
  const back = placeOf(document.querySelector<HTMLElement>('.prose')!);
  // Otherwise the browser's scroll anchoring would move the window too.
  style.overflowAnchor = 'none';
  const move = (): void => {
    const by = back();
    if (by !== 0) scrollBy({ top: by, behavior: 'instant' });
  };
  return () => {
    move();
    requestAnimationFrame(() => requestAnimationFrame(() => style.removeProperty('overflow-anchor')));
    moveWithTypefaces(move);
  };
}

/** The rendered text may load further fonts with other widths, so the place is restored again, unless the reader has moved on. */
function moveWithTypefaces(move: () => void): void {
  const ended = new AbortController();
  const { signal } = ended;
  for (const event of ['wheel', 'touchmove', 'keydown', 'pointerdown']) addEventListener(event, () => ended.abort(), { signal });
  document.fonts.addEventListener(
    'loadingdone',
    () => {
      move();
      ended.abort();
    },
    { signal },
  );
}

/** @returns a function that tells, after the replacement, how far to scroll */
function placeOf(prose: HTMLElement): () => number {
  const { activeElement } = document;
  const topOf = (element: Element) => element.getBoundingClientRect().top;
  if (activeElement?.matches('.comments *') && isVisible(activeElement)) return movementOf(() => topOf(activeElement));
  const { top, bottom, height } = prose.getBoundingClientRect();
  if (top >= 0) return () => 0;
  if (bottom <= 0) return movementOf(() => document.documentElement.getBoundingClientRect().bottom);
  const line = findLine(prose);
  return () => {
    const next = document.querySelector<HTMLElement>('.prose')!;
    const box = next.getBoundingClientRect();
    const found = line && findLetters(next, line);
    return found === undefined ? box.top - (top / height) * box.height : found - line!.top;
  };
}

function movementOf(measure: () => number): () => number {
  const before = measure();
  return () => measure() - before;
}

function isVisible(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}

interface Line {
  readonly letters: string;
  /** How often these letters occur before the line. */
  readonly before: number;
  /** The line's position in the window. */
  readonly top: number;
}

/** The topmost visible line of a plain text with enough letters to be recognized. */
function findLine(prose: HTMLElement): Line | undefined {
  const node = prose.querySelector('pre')?.firstChild;
  if (!(node instanceof Text)) return undefined;
  const text = node.data;
  const range = document.createRange();
  const topAt = (offset: number): number => {
    range.setStart(node, offset);
    range.setEnd(node, Math.min(text.length, offset + 1));
    return range.getBoundingClientRect().top;
  };
  let start = firstVisible(text, topAt);
  for (let tried = 0; tried < mostLines && start < text.length; tried++) {
    const end = text.indexOf('\n', start);
    const letters = lettersOf(text.slice(start, end < 0 ? undefined : end)).slice(0, knownLetters);
    if (letters.length >= fewestLetters) {
      const before = lettersOf(text.slice(0, start)).split(letters).length - 1;
      return { letters, before, top: topAt(start) };
    }
    if (end < 0) break;
    start = end + 1;
  }
  return undefined;
}

/** Finds the first word character at or below the top of the window, by binary search: later text is never higher. */
function firstVisible(text: string, topAt: (offset: number) => number): number {
  let [above, below] = [0, text.length];
  while (above < below) {
    const middle = (above + below) >> 1;
    // White space may have no box of its own.
    let word = middle;
    while (word < below && /\s/.test(text[word]!)) word++;
    if (word < below && topAt(word) < 0) above = word + 1;
    else below = middle;
  }
  return above;
}

/** The position of these letters in the window, or undefined. */
function findLetters(root: HTMLElement, { letters, before }: Line): number | undefined {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes: { readonly node: Text; readonly start: number }[] = [];
  let all = '';
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    nodes.push({ node: node as Text, start: all.length });
    all += lettersOf((node as Text).data);
  }
  let place = all.indexOf(letters);
  for (let passed = 0; passed < before && place >= 0; passed++) place = all.indexOf(letters, place + letters.length);
  const found = place < 0 ? undefined : nodes.findLast(({ start }) => start <= place);
  if (!found) return undefined;
  const range = document.createRange();
  range.setStart(found.node, offsetOf(found.node.data, place - found.start));
  range.setEnd(found.node, found.node.length);
  return range.getClientRects()[0]?.top;
}

/** The offset of a text's letter number `count`, in code units like `length`. */
function offsetOf(text: string, count: number): number {
  let left = count;
  for (const { 0: run, index } of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    if (left < run.length) return index + left;
    left -= run.length;
  }
  return text.length;
}
