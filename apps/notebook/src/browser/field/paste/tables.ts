import { attributeOf, childElements, findInside, type PastedElement, styleOf } from './pasted-tree.ts';

const mostColumns = 100;

/** True for a table that only lays things out: it has a single cell, or holds blocks or another table. */
export function isLayoutTable(table: PastedElement): boolean {
  if (attributeOf(table, 'role') === 'presentation') return true;
  const rows = rowsOf(table);
  const widest = Math.max(0, ...rows.map(row => cellsOf(row).length));
  if (widest === 0 || widest > mostColumns || (widest === 1 && rows.length === 1)) return true;
  return findInside(table, inner => ['table', 'pre', 'ul', 'ol', 'blockquote'].includes(inner.tagName)) !== undefined;
}

/** The first row becomes the head, because Markdown tables need one. */
export function writeTable(table: PastedElement, write: (cell: PastedElement) => string): string {
  const rows = rowsOf(table).map(row => cellsOf(row).flatMap(cell => spread(cell, write)));
  const width = Math.min(mostColumns, Math.max(...rows.map(row => row.length)));
  const [head = [], ...body] = rows
    .filter(row => row.length > 0)
    .map(row => Array.from({ length: width }, (_, place) => row[place] ?? ''));
  const aligned = alignments(table, width).map((side, place) => rule(side, head[place]!.length));
  return [head, aligned, ...body].map(cells => `| ${cells.join(' | ')} |`).join('\n');
}

function rowsOf(table: PastedElement): PastedElement[] {
  return childElements(table).flatMap(part =>
    part.tagName === 'tr'
      ? [part]
      : ['thead', 'tbody', 'tfoot'].includes(part.tagName)
        ? childElements(part).filter(({ tagName }) => tagName === 'tr')
        : [],
  );
}

const cellsOf = (row: PastedElement): PastedElement[] =>
  childElements(row).filter(({ tagName }) => tagName === 'td' || tagName === 'th');

/** Writes a cell that spans several columns as one cell followed by empty ones. */
function spread(cell: PastedElement, write: (cell: PastedElement) => string): string[] {
  const text = write(cell)
    .replaceAll(/\\?\n\s*/g, '<br>')
    .replaceAll(/(?<!\\)\|/g, '\\|');
  const columns = Math.min(mostColumns, Math.max(1, Number(attributeOf(cell, 'colspan')) || 1));
  return [text, ...Array<string>(columns - 1).fill('')];
}

function alignments(table: PastedElement, width: number): string[] {
  const sides = cellsOf(rowsOf(table)[0]!).map(cell => attributeOf(cell, 'align').toLowerCase() || styleOf(cell, 'text-align'));
  return Array.from({ length: width }, (_, place) => sides[place] ?? '');
}

function rule(side: string, length: number): string {
  const dashes = '-'.repeat(Math.min(40, Math.max(3, length)));
  if (side === 'center') return `:${dashes.slice(2)}:`;
  return side === 'right' || side === 'end' ? `${dashes.slice(1)}:` : dashes;
}
