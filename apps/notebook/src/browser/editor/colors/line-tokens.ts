import { InlineTokens, type Token } from './inline-tokens.ts';

/**
 * The construct that a line begins in: none, a code fence (its characters, after `>` in a quote), a formula on its own lines (`$$`) or a
 * comment (`<!--`).
 */
export type LineState = string;

/** Longer lines are not colored: they are data, and coloring them would slow down every key. */
const longestColored = 2_000;

const fence = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})/;
const closingFence = /^[ \t>]*(`{3,}|~{3,})[ \t]*$/;
const quoted = /^[ \t]*>/;
const formula = /^[ \t>]*\$\$[^$]*$/;

/** Returns the state in which the next line begins. */
export function stateAfter(line: string, before: LineState): LineState {
  const state = leavesQuote(line, before) ? '' : before;
  if (state === '$$') return line.trimEnd().endsWith('$$') ? '' : state;
  if (state === '<!--') return line.includes('-->') ? '' : state;
  if (state !== '') {
    const signs = closingFence.exec(line)?.[1];
    return signs?.startsWith(state.replace('>', '')) ? '' : state;
  }
  const [opening = '', signs] = fence.exec(line) ?? [];
  if (signs && !(signs[0] === '`' && line.includes('`', opening.length))) return (quoted.test(line) ? '>' : '') + signs;
  if (formula.test(line)) return '$$';
  return line.lastIndexOf('<!--') > line.lastIndexOf('-->') && /^[ \t>]*<!--/.test(line) ? '<!--' : '';
}

const leavesQuote = (line: string, state: LineState): boolean => state.startsWith('>') && !quoted.test(line);

/** Returns the tokens of a line that begins in the state `before`. They may be nested; later ones lie above. */
export function tokensOf(line: string, before: LineState): readonly Token[] {
  if (line.length > longestColored) return [];
  const state = leavesQuote(line, before) ? '' : before;
  const whole = (kind: Token['kind']): Token[] => (line === '' ? [] : [{ kind, from: 0, to: line.length }]);
  if (state === '$$') return whole('math');
  if (state === '<!--') return line.includes('-->') ? spans(line, 'mark', line.indexOf('-->') + 3) : whole('mark');
  if (state !== '') return stateAfter(line, state) === '' ? whole('mark') : whole('code');
  const after = stateAfter(line, '');
  if (after === '$$') return whole('math');
  if (after !== '' || isRule(line)) return whole('mark');
  return textTokens(line);
}

const spans = (line: string, kind: Token['kind'], to: number): Token[] => [
  { kind, from: 0, to },
  ...new InlineTokens(line, to).tokens,
];

/** True for thematic breaks, heading underlines and the second row of a table. */
function isRule(line: string): boolean {
  const signs = line.replaceAll(/[ \t>]/g, '');
  return /^(?:-{3,}|\*{3,}|_{3,}|={2,})$/.test(signs) || (/^[|:-]+$/.test(signs) && signs.includes('--') && signs.includes('|'));
}

const head = /[ \t]*(?:>|[-*+](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$))/y;
const box = /[ \t]+\[[ xX]\](?=[ \t])/y;
const heading = /[ \t]*#{1,6}(?=[ \t]|$)/y;
const alert = /[ \t]*\[![A-Za-z]+\]/y;
const definition = /[ \t]*\[[^\][]+\]:/y;

/** Reads quote and list marks first, then a heading, a definition or words. */
function textTokens(line: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const take = (look: RegExp, kind: Token['kind']): boolean => {
    look.lastIndex = at;
    const found = look.exec(line)?.[0];
    if (found === undefined) return false;
    tokens.push({ kind, from: at, to: at + found.length });
    at += found.length;
    return true;
  };
  while (take(head, 'mark')) {
    // Each turn takes one mark.
  }
  if (at > 0 && (take(box, 'mark') || take(alert, 'name'))) return [...tokens, ...new InlineTokens(line, at).tokens];
  const start = at;
  if (take(heading, 'mark')) tokens.unshift({ kind: 'heading', from: start, to: line.length });
  else if (take(definition, 'link')) return [...tokens, { kind: 'address', from: at, to: line.length }];
  const words = new InlineTokens(line, at).tokens;
  return [...tokens, ...words, ...tableMarks(line, at)];
}

function tableMarks(line: string, from: number): readonly Token[] {
  if (line.slice(from).trimStart()[0] !== '|') return [];
  const bars: Token[] = [];
  for (let at = line.indexOf('|', from); at !== -1; at = line.indexOf('|', at + 1))
    if (line[at - 1] !== '\\') bars.push({ kind: 'mark', from: at, to: at + 1 });
  return bars;
}
