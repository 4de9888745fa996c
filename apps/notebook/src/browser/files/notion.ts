import { FenceReader } from './code-spans.ts';

/** Turns Notion's callouts into notes. Notion writes them as `<aside>`, which would not look like anything to a reader. */
export function withoutAsides(text: string): string {
  if (!text.includes('<aside>')) return text;
  const lines = text.split('\n');
  const fences = new FenceReader();
  const result: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    if (fences.holds(lines[at]!) || lines[at] !== '<aside>') {
      result.push(lines[at]!);
      continue;
    }
    const end = lines.indexOf('</aside>', at);
    if (end === -1) return [...result, ...lines.slice(at)].join('\n');
    const body = lines
      .slice(at + 1, end)
      .join('\n')
      .trim()
      .split('\n');
    result.push('> [!NOTE]');
    for (const line of body) result.push(line === '' ? '>' : `> ${line}`);
    at = end;
  }
  return result.join('\n');
}

/** Removes the id that Notion appends to every name to make it unique. */
export const withoutNotionId = (name: string) => name.replace(/[ _-][0-9a-f]{32}$/, '');
