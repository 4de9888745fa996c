/**
 * Applied to everything that a command prints. Another server's slug, sentence or address also comes through here: an escape sequence or a
 * direction control in it could hide or forge the output.
 */
export function withoutControls(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}

/**
 * Puts untrusted words on one line of the operator's terminal: escape sequences, line breaks and direction controls could hide or forge the
 * output.
 */
export function plainLine(text: string, maxChars: number): string {
  const plain = text
    .replace(/\s+/gu, ' ')
    .replace(/[\p{C}]/gu, '\ufffd')
    .trim();
  const characters = [...plain];
  return characters.length > maxChars ? `${characters.slice(0, maxChars - 1).join('')}…` : plain;
}

/** JSON that is also safe on a terminal. */
export function plainJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replace(/[^\P{C}\n]/gu, character =>
    character
      .split('')
      .map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** Rows under a header, with aligned columns; the last column has no fixed width. */
export function drawTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map(row => [...row[column]!].length)));
  const drawRow = (row: readonly string[]) => row.map((cell, at) => cell + ' '.repeat(widths[at]! - [...cell].length)).join('  ');
  return rows.map(row => drawRow(row).trimEnd()).join('\n');
}
