import type { FieldText, TextEdit } from '../text/field-text.ts';
import { type Fence, findFence } from './fence.ts';
import { lineEnd } from './field-lines.ts';

/** Makes a fenced code block on its own lines. Inside one it removes the fences, or changes the language if one is given. */
export function insertCodeBlock(field: FieldText, language?: string): TextEdit {
  const around = findFence(field.text, field.start);
  if (around && field.end <= around.to) return language ? relabel(field, around, language) : unfence(field, around);
  const { text, start, end } = field.start === field.end ? atLineEnd(field) : field;
  const chosen = text.slice(start, end);
  const fence = '`'.repeat(longestRun(chosen) + 1);
  const before = start === 0 || text[start - 1] === '\n' ? '' : '\n';
  const after = end === text.length || text[end] === '\n' ? '' : '\n';
  const open = `${before}${fence}${language ?? ''}\n`;
  const body = chosen.endsWith('\n') ? chosen.slice(0, -1) : chosen;
  const inside = start + open.length;
  return { from: start, to: end, insert: `${open}${body}\n${fence}${after}`, start: inside, end: inside + body.length };
}

/** Without a selection the block goes below the caret's line, so that no line is cut in two. */
function atLineEnd({ text, start }: FieldText): FieldText {
  const end = lineEnd(text, start);
  return { text, start: end, end };
}

function unfence({ text, start, end }: FieldText, { from, to, bodyFrom, bodyTo }: Fence): TextEdit {
  const body = text.slice(bodyFrom, bodyTo);
  const stay = (position: number): number => Math.min(Math.max(position - (bodyFrom - from), from), from + body.length);
  return { from, to, insert: body, start: stay(start), end: stay(end) };
}

function relabel({ text, start, end }: FieldText, fence: Fence, language: string): TextEdit {
  const line = text.slice(fence.from, lineEnd(text, fence.from));
  const changed = /^.*?(?:`{3,}|~{3,})/.exec(line)![0] + language;
  const growth = changed.length - line.length;
  const stay = (position: number): number => (position >= fence.bodyFrom ? position + growth : fence.from + changed.length);
  return { from: fence.from, to: fence.from + line.length, insert: changed, start: stay(start), end: stay(end) };
}

const longestRun = (text: string): number => [...text.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 2);
