/** A text that began with lines of data about itself, as note programs write them. */
export interface FrontMatter {
  readonly title?: string;
  /** The lines that are not the title. */
  readonly rest: string;
  /** The text below. */
  readonly text: string;
}

/** `key: value` lines between two `---` at the very beginning. Anything else that starts with `---` is a text with a divider. */
export function readFrontMatter(markdown: string): FrontMatter | undefined {
  if (!markdown.startsWith('---\n')) return undefined;
  const lines = markdown.split('\n', 201);
  const end = lines.findIndex((line, number) => number > 0 && /^(?:---|\.\.\.)[ \t]*$/.test(line));
  const inside = lines.slice(1, Math.max(end, 0));
  if (inside.length === 0 || !/^[\w-]+[ \t]*:(?:[ \t]|$)/.test(inside[0]!) || !inside.every(isData)) return undefined;
  const place = inside.findIndex(line => /^title[ \t]*:/i.test(line));
  const title = place === -1 ? '' : readScalar(inside[place]!.slice(inside[place]!.indexOf(':') + 1).trim());
  const text = markdown
    .split('\n')
    .slice(end + 1)
    .join('\n')
    .replace(/^\n/, '');
  const rest = title === '' ? inside : inside.filter((_, number) => number !== place);
  return { ...(title === '' ? {} : { title }), rest: rest.join('\n').trim(), text };
}

/** A key, a list item, a continued line, a remark, nothing. */
const isData = (line: string) => /^(?:[\w-]+[ \t]*:(?:[ \t]|$)|[ \t]*-(?:[ \t]|$)|[ \t]+\S|#|[ \t]*$)/.test(line);

/** A plain or quoted value on one line; a block of several lines is no title. */
function readScalar(value: string): string {
  if (value.startsWith('"')) {
    try {
      return String(JSON.parse(value)).trim();
    } catch {
      return value.replaceAll('"', '').trim();
    }
  }
  if (/^'.*'$/.test(value)) return value.slice(1, -1).replaceAll("''", "'").trim();
  if (/^[[{|>&*!%@`]/.test(value)) return '';
  const remark = value.search(/[ \t]#/);
  return (remark === -1 ? value : value.slice(0, remark)).trim();
}

/** What is not the title is kept where it stood, as a block of code: as bare text it would become a heading. */
export function withDataAsCode({ rest, text }: FrontMatter): string {
  return rest === '' ? text : `\`\`\`yaml\n${rest}\n\`\`\`\n\n${text}`;
}

/** The title for a file that is to be read back; quoted as JSON, which YAML understands. */
export function writeFrontMatter(title: string): string {
  return `---\ntitle: ${JSON.stringify(title)}\n---\n\n`;
}
