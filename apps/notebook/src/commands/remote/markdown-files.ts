import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { composed } from '../../model/mark-runs.ts';
import { CannotDo } from '../command.ts';

/** @throws CannotDo naming the file that cannot be read or is not UTF-8 */
export async function readMarkdown(path: string): Promise<string> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new CannotDo(error.code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be read: ${error.message}`);
  });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CannotDo(`${path} is not UTF-8 text.`);
  }
}

/** Undefined when there is none. */
export async function findMarkdown(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Written aside and renamed, so that no crash leaves half a file. */
export async function writeAside(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const aside = `${path}.${process.pid}.part`;
  await writeFile(aside, content);
  await rename(aside, path);
}

/** `03-weekly-plan.md`: letters and digits of any script, nothing that a file system or a shell could take for something else. */
export function fileNameOf(position: number, title: string): string {
  const words = composed(title)
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
  const short = [...words].slice(0, 40).join('').replace(/-$/, '');
  return `${String(position).padStart(2, '0')}-${short || 'page'}.md`;
}
