import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const reader = '/usr/bin/pdftotext';
export const pdfReaderMissing = existsSync(reader) ? undefined : 'pdftotext is not installed (Debian: poppler-utils)';

/** The words of each sheet, laid out as on paper. */
export async function readSheets(pdf: Buffer): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'octavo-book-'));
  try {
    const file = join(folder, 'book.pdf');
    await writeFile(file, pdf);
    const { stdout } = await promisify(execFile)(reader, ['-layout', file, '-'], { maxBuffer: 64 * 1024 * 1024 });
    return stdout.split('\f').slice(0, -1);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Where words stand in the top margin of each sheet, from left to right, in points. */
export async function readHeads(
  pdf: Buffer,
): Promise<{ readonly word: string; readonly left: number; readonly right: number }[][]> {
  const folder = await mkdtemp(join(tmpdir(), 'octavo-book-'));
  try {
    const file = join(folder, 'book.pdf');
    await writeFile(file, pdf);
    const { stdout } = await promisify(execFile)(reader, ['-bbox', file, '-']);
    const words = /<word xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)"[^>]*>(.*?)<\/word>/g;
    return stdout
      .split('<page ')
      .slice(1)
      .map(sheet =>
        [...sheet.matchAll(words)]
          .map(([, left, top, right, word]) => ({ word: word!, left: Number(left), right: Number(right), top: Number(top) }))
          .filter(({ top }) => top < 60)
          .toSorted((one, other) => one.left - other.left),
      );
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Width and height of the first sheet, in points. */
export async function readPaper(pdf: Buffer): Promise<[width: number, height: number]> {
  const folder = await mkdtemp(join(tmpdir(), 'octavo-book-'));
  try {
    const file = join(folder, 'book.pdf');
    await writeFile(file, pdf);
    const { stdout } = await promisify(execFile)('/usr/bin/pdfinfo', [file]);
    const [, width, height] = /Page size:\s+([\d.]+) x ([\d.]+)/.exec(stdout) ?? [];
    return [Math.round(Number(width)), Math.round(Number(height))];
  } finally {
    await rm(folder, { recursive: true });
  }
}
