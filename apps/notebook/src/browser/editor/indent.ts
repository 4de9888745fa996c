import type { FieldText, TextEdit } from './text-edit.ts';

const step = '  ';

/** Tab: two spaces at the caret, or every line of a selection one step in (spec 1 §1.6). */
export function indent({ text, start, end }: FieldText): TextEdit {
  if (start === end) return { from: start, to: end, insert: step, start: start + step.length, end: start + step.length };
  return changeLines(
    { text, start, end },
    line => (line === '' ? 0 : step.length),
    line => (line === '' ? '' : step + line),
  );
}

/** Shift+Tab: every touched line one step out, a tab counting as one step. Undefined when no line can. */
export function outdent(field: FieldText): TextEdit | undefined {
  const surplus = (line: string) => /^(?: {1,2}|\t)?/.exec(line)![0].length;
  const edit = changeLines(
    field,
    line => -surplus(line),
    line => line.slice(surplus(line)),
  );
  return field.text.slice(edit.from, edit.to) === edit.insert ? undefined : edit;
}

function changeLines(field: FieldText, growth: (line: string) => number, change: (line: string) => string): TextEdit {
  const { from, to } = touchedLines(field);
  const lines = field.text.slice(from, to).split('\n');
  const firstGrowth = growth(lines[0]!);
  const allGrowth = lines.reduce((sum, line) => sum + growth(line), 0);
  return {
    from,
    to,
    insert: lines.map(change).join('\n'),
    // A caret inside removed spaces lands at the line's start, not on the line before.
    start: Math.max(from, field.start + firstGrowth),
    end: Math.max(from, field.end + allGrowth),
  };
}

/** A selection that ends just before a line's first character does not touch that line. */
function touchedLines({ text, start, end }: FieldText): { from: number; to: number } {
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const lastTouched = end > start && text[end - 1] === '\n' ? end - 1 : end;
  const next = text.indexOf('\n', lastTouched);
  return { from, to: next === -1 ? text.length : next };
}
