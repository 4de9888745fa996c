/** Entries of the `name` table (OpenType 1.9) that name the font. Copyright (0), version (5) and license (13, 14) are not among them. */
const family = 1;
const uniqueName = 3;
const fullName = 4;
const postScriptName = 6;

interface Table {
  readonly tag: string;
  readonly bytes: Buffer;
}

function readTables(font: Buffer): Table[] {
  return Array.from({ length: font.readUInt16BE(4) }, (_, index) => {
    const entry = 12 + 16 * index;
    const start = font.readUInt32BE(entry + 8);
    const tag = font.toString('latin1', entry, entry + 4);
    return { tag, bytes: font.subarray(start, start + font.readUInt32BE(entry + 12)) };
  });
}

/** Checksums stay zero: compressing a font to WOFF2 computes them again. */
function writeTables(head: Buffer, tables: readonly Table[]): Buffer {
  const padded = tables.map(({ bytes }) => Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]));
  const directory = Buffer.alloc(16 * tables.length);
  let start = 12 + directory.length;
  for (const [index, { tag, bytes }] of tables.entries()) {
    directory.write(tag, 16 * index, 'latin1');
    directory.writeUInt32BE(start, 16 * index + 8);
    directory.writeUInt32BE(bytes.length, 16 * index + 12);
    start += padded[index]!.length;
  }
  return Buffer.concat([head.subarray(0, 12), directory, ...padded]);
}

function renameIn(table: Buffer, names: ReadonlyMap<number, string>): Buffer {
  const count = table.readUInt16BE(2);
  const texts = table.subarray(table.readUInt16BE(4));
  const records = Buffer.from(table.subarray(0, 6 + 12 * count));
  records.writeUInt16BE(records.length, 4);
  const written: Buffer[] = [];
  let start = 0;
  for (let record = 6; record < records.length; record += 12) {
    const [length, offset] = [records.readUInt16BE(record + 8), records.readUInt16BE(record + 10)];
    const name = names.get(records.readUInt16BE(record + 6));
    // UTF-16, big-endian, like every name of platform 3.
    const text = name === undefined ? texts.subarray(offset, offset + length) : Buffer.from(name, 'utf16le').swap16();
    records.writeUInt16BE(text.length, record + 8);
    records.writeUInt16BE(start, record + 10);
    written.push(text);
    start += text.length;
  }
  return Buffer.concat([records, ...written]);
}

/**
 * Renames a font to a name of our own: a changed font may not use the name that its license reserves (SIL OFL 1.1, condition 3).
 * @param font TrueType, with names of platform 3 only
 */
export function renameFont(font: Buffer, name: string): Buffer {
  const names = new Map([
    [family, name],
    [uniqueName, name],
    [fullName, name],
    [postScriptName, name.replaceAll(' ', '')],
  ]);
  const tables = readTables(font).map(({ tag, bytes }) => ({ tag, bytes: tag === 'name' ? renameIn(bytes, names) : bytes }));
  return writeTables(font, tables);
}
