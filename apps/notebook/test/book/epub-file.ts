import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ZipArchive } from '../../src/browser/files/zip/read-zip.ts';

const checker = '/usr/share/java/epubcheck.jar';
export const checkerMissing = existsSync(checker) ? undefined : 'epubcheck is not installed (Debian: epubcheck)';

/** What EPUBCheck says of it, a finding a line: errors and warnings; empty for a valid book. */
export async function checkBook(epub: Buffer): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'octavo-epub-'));
  try {
    const file = join(folder, 'book.epub');
    await writeFile(file, epub);
    const said = await new Promise<string>(resolve =>
      // A short run: what its optimizing compiler makes comes too late.
      execFile(
        'java',
        ['-Xmx512m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-jar', checker, file],
        { maxBuffer: 64 * 1024 * 1024 },
        (_, stdout, stderr) => resolve(stdout + stderr),
      ),
    );
    if (!/EPUBCheck completed/.test(said)) throw new Error(`EPUBCheck did not run: ${said.slice(0, 500)}`);
    return said
      .split('\n')
      .filter(line => /^(?:FATAL|ERROR|WARNING)/.test(line))
      .map(line => line.replaceAll(folder, ''));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Its files as texts, in their order. */
export function readBook(epub: Buffer): Map<string, string> {
  const archive = new ZipArchive(epub);
  return new Map(archive.entries.map(entry => [entry.path, Buffer.from(archive.unpack(entry)).toString()]));
}
