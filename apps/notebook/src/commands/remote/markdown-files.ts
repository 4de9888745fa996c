import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileWords } from '../../model/file-name.ts';
import { CommandFailed } from '../command.ts';

/** @throws CommandFailed naming the file that cannot be read or is not UTF-8 */
export async function readMarkdown(path: string): Promise<string> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailed(error.code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be read: ${error.message}`);
  });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CommandFailed(`${path} is not UTF-8 text.`);
  }
}

/** The file found at a page's place. */
export interface FoundFile {
  /** As a page has it: with line feeds as line endings and no byte order mark. */
  readonly text: string;
  /** Converts another text to this file's form: its line endings, if they are all of one kind, and its byte order mark. */
  readonly toFileForm: (text: string) => string;
}

/** The disk does not take this file here (a long name, a folder in its place, another owner). Others may be taken. */
export class FileRefused extends CommandFailed {}

const refusals: ReadonlySet<unknown> = new Set([
  'ENAMETOOLONG',
  'EISDIR',
  'ENOTDIR',
  'EEXIST',
  'EACCES',
  'EPERM',
  'EILSEQ',
  'ELOOP',
]);

function diskError(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  return refusals.has(code) ? new FileRefused(`cannot be written: ${message}`) : error;
}

/**
 * Undefined when there is no file. Bytes that are not text are returned as a text that no page has.
 * @throws FileRefused when something else is in its place
 */
export async function findMarkdown(path: string): Promise<FoundFile | undefined> {
  try {
    const whole = await readFile(path, 'utf8');
    const mark = whole.startsWith(byteOrderMark) ? byteOrderMark : '';
    const isWindows = whole.includes('\r\n') && !/(?<!\r)\n|\r(?!\n)/.test(whole);
    const toFileForm = (text: string) => mark + (isWindows ? text.replaceAll('\n', '\r\n') : text);
    return { text: toPageText(whole), toFileForm };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw diskError(error);
  }
}

const byteOrderMark = '\u{feff}';

/** A file's content: line endings and a byte order mark depend only on the editor that wrote it. */
export function toPageText(text: string): string {
  return (text.startsWith(byteOrderMark) ? text.slice(1) : text).replaceAll(/\r\n?/g, '\n');
}

/**
 * Writes to a temporary file and renames it, so that a crash never leaves half a file. A replaced file keeps its mode, and a link to it
 * stays a link.
 * @throws FileRefused when only this file cannot be written
 */
export async function writeAtomically(path: string, content: string | Uint8Array): Promise<void> {
  const place = await realpath(path).catch(() => path);
  const before = await stat(place).catch(() => undefined);
  // A name of its own: with an ending, that of the file might become longer than the disk takes.
  const aside = join(dirname(place), `.octavo-${randomUUID()}.part`);
  const mode = before && before.mode & 0o777;
  try {
    await mkdir(dirname(place), { recursive: true });
    // Never readable to more people than the file that it replaces, not even while it is written.
    await writeFile(aside, content, mode === undefined ? {} : { mode: mode & 0o700 });
    if (mode !== undefined) await chmod(aside, mode);
    await rename(aside, place);
  } catch (error) {
    await rm(aside, { force: true }).catch(() => {});
    throw diskError(error);
  }
}

/** `03-weekly-plan.md` */
export function numberedFileName(position: number, title: string): string {
  return `${String(position).padStart(2, '0')}-${fileWords(title, 40) || 'page'}.md`;
}

/** Whether the path leads into a zip archive, as it does for pages that were pushed in one. Also true if the archive is gone. */
export async function isInArchive(path: string): Promise<boolean> {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (/\.zip$/i.test(folder) && !(await stat(folder).catch(() => undefined))?.isDirectory()) return true;
  }
  return false;
}
