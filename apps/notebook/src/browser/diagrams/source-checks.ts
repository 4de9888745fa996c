import { sourceBounds } from './source-bounds.ts';

export const countLines = (source: string): number => source.split(/[\n;]/).filter(line => line.trim() !== '').length;

/** The reason why a source is not even parsed; undefined if it is. */
export function checkSource(source: string): string | undefined {
  const most = sourceBounds;
  if (source.length > most.sourceChars) return `it is longer than ${most.sourceChars} characters`;
  const lines = source.split('\n');
  if (lines.some(line => line.length > most.lineChars)) return `it has a line of more than ${most.lineChars} characters`;
  if (countLines(source) > most.sourceLines) return `it has more than ${most.sourceLines} lines`;
  if (countAliases(lines) > most.aliases) return `its settings refer to each other (YAML's *) more than ${most.aliases} times`;
  return countBlockSpaces(lines) > most.ownLayoutLines ? `it has more than ${most.ownLayoutLines} spaces` : undefined;
}

/** Ten lines of YAML can refer to each other so often that reading all of what they say never ends. */
function countAliases(lines: readonly string[]): number {
  const rest = lines.slice(lines.findIndex(line => line.trim() !== ''));
  if (!rest[0]?.trim().startsWith('---')) return 0;
  const end = rest.findIndex((line, at) => at > 0 && line.trim().startsWith('---'));
  const words = rest.slice(0, end < 0 ? rest.length : end).flatMap(line => line.split(/[\s[\]{},:?-]/));
  return words.filter(word => word.length > 1 && word[0] === '*' && word[1] !== '*').length;
}

const begins = (lines: readonly string[], word: string) => lines.some(line => line.trimStart().startsWith(word));

/** `space:5` in a block diagram is five blocks: the parser makes them before anything can be counted. */
function countBlockSpaces(lines: readonly string[]): number {
  if (!begins(lines, 'block')) return 0;
  const spaces = lines.flatMap(line => line.split('space:').slice(1));
  return spaces.reduce((sum, count) => sum + (Number.parseInt(count, 10) || 0), 0);
}

/** Kinds with statements that are neither drawn nor measured. In others, these words are text like any other. */
const withStatements = /^(?:class|er|flowchart|gantt|requirement|sequence|state)/;
const statements = /^(?:acc(?:Title|Descr)|click|style|classDef|linkStyle)\b/;

function shownLines(type: string, lines: readonly string[]): readonly string[] {
  if (!withStatements.test(type)) return lines;
  let described = false;
  return lines.filter(line => {
    const start = line.trimStart();
    const isStatement = described || statements.test(start);
    // A description in braces may have several lines.
    described = (described || /^accDescr\s*\{/.test(start)) && !line.includes('}');
    return !isStatement;
  });
}

/** The reason why a source of this kind is not drawn although it was parsed: what a line of it has to be measured for. */
export function checkWords(type: string, source: string): string | undefined {
  const most = sourceBounds;
  if (type.startsWith('timeline') && source.split(':').length - 1 > most.rowLines)
    return `it has more than ${most.rowLines} events`;
  const words = shownLines(type, source.split('\n')).flatMap(line => line.split(/[\s-]/));
  const letters = words.filter(word => word.length > most.wordChars).reduce((sum, word) => sum + word.length, 0);
  return letters > most.longWordsChars
    ? `its words of more than ${most.wordChars} letters have more than ${most.longWordsChars} letters together`
    : undefined;
}
