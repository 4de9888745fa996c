import { limits } from '../../limits.ts';
import { cutTitle, firstHeading } from '../../markdown/heading.ts';
import { fileNameOf } from '../../model/file-name.ts';
import { pageName } from '../../model/page-name.ts';
import { convertFile } from './convert-file.ts';
import { withoutNotionId } from './notion.ts';
import type { FindFile } from './wiki-links.ts';

export interface ImportedPage {
  /** The file's path, for the list shown to the person and for finding the images it links to. */
  readonly path: string;
  /** When absent, the first heading is the title. */
  readonly title?: string;
  readonly markdown: string;
  /** The file's text with line feeds as line ends. */
  readonly original: string;
  /** The number of `%%comments%%` left out. */
  readonly comments: number;
}

/** The reason why a file is not taken; the message completes a sentence that begins with the file's name. */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile';
}

/** @throws UnusableFile */
export function readText(bytes: Uint8Array): string {
  if (bytes.length > limits.maxMarkdownBytes + 3) throw new UnusableFile('is longer than 1 MiB');
  const text = decode(bytes);
  if (text.includes('\0')) throw new UnusableFile('is not text: it holds NUL characters');
  return text;
}

/** @throws UnusableFile */
export function readPage(path: string, original: string, find: FindFile): ImportedPage {
  const { markdown, title: given, isUntitled, comments } = convertFile(path, original, find);
  if (new TextEncoder().encode(markdown).length > limits.maxMarkdownBytes) throw new UnusableFile('is longer than 1 MiB');
  const named = firstHeading(markdown) === '' && !(isUntitled && isNamedByText(path, markdown)) ? titleOfFile(path) : '';
  const title = cutTitle((given ?? named).replaceAll(/[\p{Cc}\s]+/gu, ' ').trim());
  return { path, markdown, original, comments, ...(title === '' ? {} : { title }) };
}

function decode(bytes: Uint8Array): string {
  try {
    // The decoder also removes a byte order mark.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replaceAll(/\r\n?/g, '\n');
  } catch {
    throw new UnusableFile('is not UTF-8 text');
  }
}

/** Whether an export would name a page without a title like this: then the file's name is no title either. */
function isNamedByText(path: string, markdown: string): boolean {
  const name = path.replace(/^.*\//, '').replace(/^\d{2,4}-/, '');
  return name === fileNameOf(pageName({ title: '', text: markdown }), 'md');
}

/** The title of `notes/03-next steps.md` is "next steps": the number was only there for sorting. */
function titleOfFile(path: string): string {
  const name = withoutNotionId(path.replace(/^.*\//, '').replace(/\.\w+$/, ''));
  return name.replace(/^\d{1,4}[ ._-]+(?=\S)/, '').trim();
}
