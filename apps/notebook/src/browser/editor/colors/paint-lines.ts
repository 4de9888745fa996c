import type { TokenKind } from './inline-tokens.ts';
import type { Lines, SourceLines } from './source-lines.ts';

const prefix = 'octavo-source-';
/** Nested kinds are painted above those around them. */
const priorities: Record<TokenKind | 'composed', number> = {
  heading: 0,
  strong: 1,
  emphasis: 1,
  struck: 1,
  highlight: 1,
  link: 2,
  code: 3,
  address: 3,
  tag: 3,
  math: 3,
  name: 3,
  mark: 4,
  composed: 5,
};

/** @param composed the part of the text an input method is composing */
export function paintLines(lines: SourceLines, { from, to }: Lines, composed: Lines | undefined): void {
  const ranges = new Map<TokenKind | 'composed', Range[]>();
  const add = (kind: TokenKind | 'composed', line: number, start: number, end: number): void => {
    const text = lines.textOf(line);
    const range = document.createRange();
    range.setStart(text, Math.min(start, text.length));
    range.setEnd(text, Math.min(end, text.length));
    const known = ranges.get(kind);
    if (known) known.push(range);
    else ranges.set(kind, [range]);
  };
  for (let line = from; line < to; line += 1)
    for (const token of lines.tokensOf(line)) add(token.kind, line, token.from, token.to);
  if (composed) {
    const { line, at } = lines.placeOf(composed.from);
    add('composed', line, at, at + composed.to - composed.from);
  }
  for (const [kind, priority] of Object.entries(priorities) as [TokenKind | 'composed', number][]) {
    const found = ranges.get(kind);
    if (!found) CSS.highlights.delete(prefix + kind);
    else CSS.highlights.set(prefix + kind, Object.assign(new Highlight(...found), { priority }));
  }
}

export function closeColors(): void {
  for (const kind of Object.keys(priorities)) CSS.highlights.delete(prefix + kind);
}
