import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gemoji } from 'gemoji';

const lineChars = 120;

/** The text of apps/notebook/src/markdown/emoji/emoji-list.ts: GitHub's names, without the package's other data about each emoji. */
export function emojiListSource(): string {
  const lines: string[] = [];
  let line = '';
  for (const { names, emoji } of gemoji) {
    const entry = `${names.join(',')} ${emoji}`;
    if (line !== '' && line.length + entry.length >= lineChars) {
      lines.push(line);
      line = '';
    }
    line += line === '' ? entry : ` ${entry}`;
  }
  lines.push(line);
  return `// Generated from GitHub's list (the package gemoji) by tools/make-emoji-list.ts; a test compares them. Names, then their emoji.
export const emojiList = \`
${lines.join('\n')}
\`;
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(new URL('../apps/notebook/src/markdown/emoji/emoji-list.ts', import.meta.url), emojiListSource());
