/** The data lines at the start of a file, as note apps write them, and the text after them. */
export interface FrontMatter {
  readonly title?: string;
  /** Whether it says `title: ""`, as an export does of a page without a title. Note apps write that, too. */
  readonly isUntitled: boolean;
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
  const title = readTitle(linesOfTitle(inside).lines);
  const text = markdown
    .split('\n')
    .slice(end + 1)
    .join('\n')
    .replace(/^\n/, '');
  const isUntitled = inside.includes(noTitle);
  return { ...(title === '' ? {} : { title }), isUntitled, tags: readTags(inside), text };
}

const noTitle = 'title: ""';

/** A key, a list item, a continued line, the end of a list in brackets, a comment or an empty line. */
const isData = (line: string) => /^(?:[\w-]+[ \t]*:(?:[ \t]|$)|[ \t]*-(?:[ \t]|$)|[ \t]+\S|#|\]|[ \t]*$)/.test(line);

/** The line that begins with `title:` and the indented lines below it, which go on with it. */
function linesOfTitle(lines: readonly string[]): { readonly place: number; readonly lines: readonly string[] } {
  const place = lines.findIndex(line => /^title[ \t]*:/i.test(line));
  if (place === -1) return { place, lines: [] };
  const below = lines.slice(place + 1);
  const end = below.findIndex(line => !/^[ \t]|^$/.test(line));
  const last = below.slice(0, end === -1 ? below.length : end).findLastIndex(line => line.trim() !== '');
  return { place, lines: lines.slice(place, place + 2 + last) };
}

/** Reads a value on the key's line, one that goes on below it, and a block after `>` or `|`. A list or a map is no title. */
function readTitle([first, ...below]: readonly string[]): string {
  if (first === undefined) return '';
  const value = first.slice(first.indexOf(':') + 1).trim();
  const further = below.map(line => line.trim()).filter(line => line !== '');
  if (/^[>|][-+\d]*(?:[ \t]+#.*)?$/.test(value)) return further.join(' ');
  if (value === '' && /^(?:-|[^\s"'#]+[ \t]*:)(?:[ \t]|$)/.test(further[0] ?? '')) return '';
  return readScalar([value, ...further].join(' ').trim());
}

/** Reads a plain or quoted value. A comment may be behind it. */
function readScalar(value: string): string {
  const quoted = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)')[ \t]*(?:$|(?<=[ \t])#)/.exec(value);
  if (quoted) return (quoted[2]?.replaceAll("''", "'") ?? withoutEscapes(quoted[1]!)).trim();
  if (value.startsWith('"')) return value.replaceAll('"', '').trim();
  if (/^[[{|>&*!%@`]/.test(value)) return '';
  const remark = value.search(/(?:^|[ \t])#/);
  return (remark === -1 ? value : value.slice(0, remark)).trim();
}

const escapes: Readonly<Record<string, string>> = { n: ' ', t: ' ', r: ' ', _: ' ', N: ' ', L: ' ', P: ' ' };

/** YAML has more escapes than JSON. Line breaks and tabs become spaces, and other control characters nothing. */
const withoutEscapes = (text: string): string =>
  text.replaceAll(/\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|(.))/g, (_, ...found: (string | undefined)[]) => {
    const code = found[0] ?? found[1] ?? found[2];
    const sign = found[3];
    if (code !== undefined) return Number.parseInt(code, 16) > 0x10ffff ? '' : String.fromCodePoint(Number.parseInt(code, 16));
    return escapes[sign!] ?? (/[a-z\d]/i.test(sign!) ? '' : sign!);
  });

const mostTags = 50;
const longestTags = 10_000;

/** Reads `tags: a, b`, `tags: [a, b]`, which may go over several lines, or a list in the lines below. */
function readTags(lines: readonly string[]): string[] {
  const place = lines.findIndex(line => /^tags?[ \t]*:/i.test(line));
  if (place === -1) return [];
  const inline = lines[place]!.slice(lines[place]!.indexOf(':') + 1).trim();
  const below = lines.slice(place + 1);
  const tags = wordsOf(inline, below).map(word =>
    readScalar(word.trim().replace(/^#/, ''))
      .replace(/^#/, '')
      .trim()
      .replace(/[^\p{L}\p{M}\p{N}/_-]+/gu, '-'),
  );
  return [...new Set(tags.filter(tag => tag !== '' && tag !== '-'))].slice(0, mostTags);
}

function wordsOf(inline: string, below: readonly string[]): string[] {
  if (inline.startsWith('[')) {
    const end = below.findIndex(line => !/^[ \t]/.test(line) && line !== ']');
    const lines = [inline.slice(1), ...below.slice(0, end === -1 ? below.length : end)].map(line => line.replace(/[ \t]#.*/, ''));
    const inside = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^"'\]])*/.exec(lines.join(' ').slice(0, longestTags))![0];
    // super-linear: at most 10,000 characters.
    return inside.match(/"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,\s"']+/g) ?? [];
  }
  if (inline !== '' && !inline.startsWith('# ')) return inline.replace(/[ \t]#[ \t].*/, '').split(/[,\s]/);
  const end = below.findIndex(line => !/^[ \t]*-(?:[ \t]|$)/.test(line));
  return below.slice(0, end === -1 ? below.length : end).map(line => line.trim().slice(1));
}

/** Sets the title in the file's front matter, which is added if there is none. */
export function withTitle(text: string, title: string): string {
  if (!readFrontMatter(text)) return writeFrontMatter(title) + text;
  const line = `title: ${JSON.stringify(title)}`;
  const [first, ...lines] = text.split('\n');
  const end = lines.findIndex(each => /^(?:---|\.\.\.)[ \t]*$/.test(each));
  const before = linesOfTitle(lines.slice(0, end));
  const rest = before.place === -1 ? lines : lines.toSpliced(before.place, before.lines.length);
  return [first, line, ...rest].join('\n');
}

/** Writes front matter with a title that can be read back. It is quoted as JSON, which is valid YAML. */
export function writeFrontMatter(title: string): string {
  return `---\ntitle: ${JSON.stringify(title)}\n---\n\n`;
}
