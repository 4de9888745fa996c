/** Turns Notion's callouts into notes. Notion writes them as `<aside>`, which would not look like anything to a reader. */
export function withoutAsides(text: string): string {
  if (!text.includes('<aside>')) return text;
  const lines = text.split('\n');
  const result: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const end = lines[at] === '<aside>' ? lines.indexOf('</aside>', at) : -1;
    if (end === -1) {
      result.push(lines[at]!);
      if (lines[at] === '<aside>') return [...result, ...lines.slice(at + 1)].join('\n');
      continue;
    }
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
