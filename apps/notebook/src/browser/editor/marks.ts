import type { FieldText, TextEdit } from './text-edit.ts';

/** Bold: wraps the selection, or unwraps it when it is wrapped already. */
export function toggleBold(field: FieldText): TextEdit {
  return toggleAround(field, '**');
}

function toggleAround({ text, start, end }: FieldText, mark: string): TextEdit {
  const size = mark.length;
  const chosen = text.slice(start, end);
  if (text.slice(start - size, start) === mark && text.slice(end, end + size) === mark) {
    return { from: start - size, to: end + size, insert: chosen, start: start - size, end: end - size };
  }
  return { from: start, to: end, insert: mark + chosen + mark, start: start + size, end: end + size };
}

/** A fenced block on lines of its own, its fence longer than any inside the selection. */
export function insertCodeBlock({ text, start, end }: FieldText): TextEdit {
  const chosen = text.slice(start, end);
  const longest = Math.max(2, ...[...chosen.matchAll(/`+/g)].map(run => run[0].length));
  const fence = '`'.repeat(longest + 1);
  const before = start === 0 || text[start - 1] === '\n' ? '' : '\n';
  const after = end === text.length || text[end] === '\n' ? '' : '\n';
  const inside = start + before.length + fence.length + 1;
  const body = chosen.endsWith('\n') ? chosen.slice(0, -1) : chosen;
  return {
    from: start,
    to: end,
    insert: `${before}${fence}\n${body}\n${fence}${after}`,
    start: inside,
    end: inside + body.length,
  };
}
