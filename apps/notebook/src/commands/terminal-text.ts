/**
 * What stands between any word of a command and the terminal. Another server's slug, sentence or address comes through here as well: an
 * escape sequence or a control of direction in it could hide or forge what is printed.
 */
export function withoutControls(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}

/**
 * A stranger's words on one line of the operator's terminal: escape sequences, line breaks and characters that turn the direction of
 * the text could hide or forge what is printed.
 */
export function plainLine(text: string, maxChars: number): string {
  const plain = text
    .replace(/\s+/gu, ' ')
    .replace(/[\p{C}]/gu, '\ufffd')
    .trim();
  const characters = [...plain];
  return characters.length > maxChars ? `${characters.slice(0, maxChars - 1).join('')}…` : plain;
}

/** JSON that is safe on a terminal as well. */
export function plainJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replace(/[^\P{C}\n]/gu, character =>
    character
      .split('')
      .map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** Rows under a head, the columns in line; the last one runs on. */
export function drawTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map(row => [...row[column]!].length)));
  const drawRow = (row: readonly string[]) => row.map((cell, at) => cell + ' '.repeat(widths[at]! - [...cell].length)).join('  ');
  return rows.map(row => drawRow(row).trimEnd()).join('\n');
}
