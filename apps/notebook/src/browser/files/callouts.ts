import { escapeHtml } from '../../markdown/escape.ts';
import { FenceReader } from './code-spans.ts';

/** Maps Obsidian's callout types to GitHub's five alerts. All others become notes under their own name. */
const alerts: Readonly<Record<string, string>> = {
  note: 'NOTE',
  tip: 'TIP',
  important: 'IMPORTANT',
  warning: 'WARNING',
  caution: 'CAUTION',
  hint: 'TIP',
  success: 'TIP',
  check: 'TIP',
  done: 'TIP',
  attention: 'WARNING',
  failure: 'CAUTION',
  fail: 'CAUTION',
  missing: 'CAUTION',
  danger: 'CAUTION',
  error: 'CAUTION',
  bug: 'CAUTION',
};
const opening = /^ {0,3}>[ \t]?\[!([\w-]{1,40})(?:\|[^\]\n]{0,100})?\]([+-]?)(.*)$/;
const quoted = /^ {0,3}>[ \t]?(.*)$/;
const mostNested = 8;

/** Turns titled callouts into alerts with a bold first line and foldable ones into `details`. What GitHub also supports is left alone. */
export function withCallouts(text: string, nested = 0): string {
  if (!text.includes('[!') || nested > mostNested) return text;
  const lines = text.split('\n');
  const result: string[] = [];
  const fences = new FenceReader();
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at]!;
    const found = fences.holds(line) ? null : opening.exec(line);
    if (!found) {
      result.push(line);
      continue;
    }
    const body: string[] = [];
    while (at + 1 < lines.length) {
      const inside = quoted.exec(lines[at + 1]!);
      if (!inside) break;
      body.push(inside[1]!);
      at += 1;
    }
    for (const made of callout(found, body, line, nested)) result.push(made);
  }
  return result.join('\n');
}

function callout([, type, fold, title]: RegExpExecArray, body: readonly string[], line: string, nested: number): string[] {
  const kind = type!.toLowerCase();
  const inner = withCallouts(body.join('\n'), nested + 1).split('\n');
  const shown = title!.trim();
  const ownName = kind[0]!.toUpperCase() + kind.slice(1).replaceAll('-', ' ');
  if (fold !== '') {
    const open = fold === '+' ? ' open' : '';
    return [`<details${open}>`, `<summary>${escapeHtml(shown || ownName)}</summary>`, '', ...inner, '', '</details>', ''];
  }
  const quote = inner.map(text => (text === '' ? '>' : `> ${text}`));
  const isQuote = kind === 'quote' || kind === 'cite';
  const plain = /^(?:note|tip|important|warning|caution)$/.test(kind);
  if (plain && shown === '' && nested === 0) return [line, ...quote];
  // GitHub shows alerts only at the top level. Inside another it becomes a quote with a bold first line.
  const sign = isQuote || nested > 0 ? [] : [`> [!${alerts[kind] ?? 'NOTE'}]`];
  const name = shown || (isQuote ? '' : ownName);
  return [...sign, ...(name === '' ? [] : [`> **${name}**`, '>']), ...quote];
}
