/**
 * Lets the words of a table that is wider than its column break, where one is longer than its share. Called while the print styles hold.
 * CSS alone breaks either no word of a table or, of narrow columns, every word.
 */
export function fitTables(tables: readonly HTMLTableElement[]): void {
  for (const cell of tables.flatMap(cellsOf)) delete cell.dataset.breaks;
  for (const table of tables) table.dataset.fitted = '';
  // All are measured before one is changed, or each would cost a layout of its own. Inline boxes around a table have no width.
  const rooms = tables.map(roomFor);
  const wide = tables
    .map((table, index) => ({ table, room: rooms[index]! }))
    .filter(({ table, room }) => room > 0 && widthOf(table) > room + 1);
  // So narrow, a table shows how wide its longest words are.
  for (const { table } of wide) table.style.width = '0';
  const found = wide.map(({ table, room }) => wordsWiderThanShare(table, room));
  for (const { table } of wide) table.style.width = '';
  for (const { cells, share } of found) {
    for (const cell of cells) {
      cell.dataset.breaks = '';
      cell.style.setProperty('--share', `${share}px`);
    }
  }
}

const cellsOf = (table: HTMLTableElement) => [...table.rows].flatMap(({ cells }) => [...cells]);

/** The first part of what is divided between sheets, because all parts together seem to be as wide as the sheets. */
const widthOf = (element: Element): number => element.getClientRects()[0]?.width ?? 0;

function roomFor(table: HTMLTableElement): number {
  const outer = table.parentElement!;
  const { paddingLeft, paddingRight } = getComputedStyle(outer);
  return outer.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
}

/** Columns whose words fit into an equal share keep them whole. The browser divides what they leave by the lengths of the texts. */
function wordsWiderThanShare(table: HTMLTableElement, room: number): { cells: HTMLTableCellElement[]; share: number } {
  const share = Math.floor(room / Math.max(1, ...[...table.rows].map(({ cells }) => cells.length)));
  return { cells: cellsOf(table).filter(cell => widthOf(cell) > share * cell.colSpan), share };
}
