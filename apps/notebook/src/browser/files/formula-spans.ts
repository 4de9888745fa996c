import { readFormula } from '../../markdown/math/formula-tokens.ts';
import type { CodeSpan } from './code-spans.ts';

/** Longer formulas are not drawn either. */
const longestFormula = 20_010;

/** Adds the formulas of a text to its code, in order. Nothing in a formula is a link or the id of a block. */
export function withFormulas(text: string, code: readonly CodeSpan[]): readonly CodeSpan[] {
  if (!text.includes('$')) return code;
  const found: CodeSpan[] = [];
  let next = 0;
  for (let at = text.indexOf('$'); at !== -1; at = text.indexOf('$', at)) {
    while (next < code.length && code[next]!.to <= at) found.push(code[next++]!);
    const inside = code[next];
    if (inside && inside.from < at) {
      at = inside.to;
      continue;
    }
    const formula = readFormula(text.slice(at, at + longestFormula), text[at - 1]);
    // A formula does not go beyond its paragraph.
    if (!formula || /\n[ \t]*\n/.test(formula.raw)) {
      while (text[at] === '$') at += 1;
      continue;
    }
    const to = at + formula.raw.length;
    found.push({ from: at, to });
    while (next < code.length && code[next]!.from < to) next += 1;
    at = to;
  }
  return [...found, ...code.slice(next)];
}
