/** The data lines at the start of a file, as note apps write them, and the text after them. */
export interface FrontMatter {
  readonly title?: string;
  /** Without `#`, and with hyphens for spaces. */
  readonly tags: readonly string[];
  /** The text after the front matter. */
  readonly text: string;
}

/** Reads `key: value` lines between two `---` at the very start. Anything else that starts with `---` is a text with a divider. */
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
  return { ...(title === '' ? {} : { title }), tags: readTags(inside), text };
}

/** A key, a list item, a continued line, a comment or an empty line. */
const isData = (line: string) => /^(?:[\w-]+[ \t]*:(?:[ \t]|$)|[ \t]*-(?:[ \t]|$)|[ \t]+\S|#|[ \t]*$)/.test(line);

/** Reads a plain or quoted value on one line. A block of several lines is no title. */
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

const mostTags = 50;

/** Reads `tags: a, b`, `tags: [a, b]` or a list in the lines below. */
function readTags(lines: readonly string[]): string[] {
  const place = lines.findIndex(line => /^tags?[ \t]*:/i.test(line));
  if (place === -1) return [];
  const inline = lines[place]!.slice(lines[place]!.indexOf(':') + 1).trim();
  const below = lines.slice(place + 1);
  const end = below.findIndex(line => !/^[ \t]*-(?:[ \t]|$)/.test(line));
  const listed = below.slice(0, end === -1 ? below.length : end).map(line => line.trim().slice(1));
  const words = inline === '' ? listed : inline.replace(/^\[|\]$/g, '').split(/[,\s]/);
  const tags = words.map(word =>
    readScalar(word.trim())
      .replace(/^#/, '')
      .trim()
      .replace(/[^\p{L}\p{M}\p{N}/_-]+/gu, '-'),
  );
  return [...new Set(tags.filter(tag => tag !== '' && tag !== '-'))].slice(0, mostTags);
}

/** Sets the title in the file's front matter, which is added if there is none. */
export function withTitle(text: string, title: string): string {
  if (!readFrontMatter(text)) return writeFrontMatter(title) + text;
  const line = `title: ${JSON.stringify(title)}`;
  const [first, ...lines] = text.split('\n');
  const end = lines.findIndex(each => /^(?:---|\.\.\.)[ \t]*$/.test(each));
  const place = lines.slice(0, end).findIndex(each => /^title[ \t]*:/i.test(each));
  const rest = place === -1 ? lines : lines.toSpliced(place, 1);
  return [first, line, ...rest].join('\n');
}

/** Writes front matter with a title that can be read back. It is quoted as JSON, which is valid YAML. */
export function writeFrontMatter(title: string): string {
  return `---\ntitle: ${JSON.stringify(title)}\n---\n\n`;
}
