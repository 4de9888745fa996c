import { applyPatch, createTwoFilesPatch, parsePatch, type StructuredPatch } from 'diff';
import { isPagePath } from '../../model/page-path.ts';
import { replaceImageLinks } from './image-links.ts';
import { findFile } from './read-import.ts';

/** The time for a diff. Texts that differ in nearly everything take longer, and one is no edit of the other. */
const diffMillis = 2_000;

/** A text whose images have the addresses of their uploads. */
export interface WithAddresses {
  readonly text: string;
  /** The address of each image, by its file's path. Equal files may have one address. */
  readonly images: ReadonlyMap<string, string>;
}

/** @param addresses the addresses of images, by their path from the root */
export function putAddresses(path: string, markdown: string, addresses: ReadonlyMap<string, string>): WithAddresses {
  const images = new Map<string, string>();
  const text = replaceImageLinks(markdown, link => {
    const file = findFile(addresses, path, link);
    const address = file === undefined ? undefined : addresses.get(file);
    if (address !== undefined) images.set(file!, address);
    return address;
  });
  return { text, images };
}

/**
 * Makes a patch that turns the page's text back into the file: a unified diff, empty when both are the same. Undefined when it would be
 * longer than `maxChars` or takes too long to find.
 */
export function makePatch({ text, images }: WithAddresses, original: string, maxChars: number): string | undefined {
  if (text === original) return '';
  const patch = createTwoFilesPatch('page', 'file', text, original, '', '', { context: 2, timeout: diffMillis });
  if (patch === undefined) return undefined;
  const lines = [...images].map(([path, url]) => `image ${url} ${encodeURIComponent(path)}\n`);
  const whole = lines.join('') + patch;
  return whole.length <= maxChars ? whole : undefined;
}

export interface Restored {
  readonly text: string;
  /** Parts of the file that could not be put back, because the page was changed there. */
  readonly lost: number;
  /** The addresses of the images that the page shows, by their path from the root. */
  readonly images: ReadonlyMap<string, string>;
}

/** Restores the file a page was imported from, with every change made to the page since. */
export function restoreFile(text: string, patch: string): Restored {
  if (patch === '') return { text, lost: 0, images: new Map() };
  const images = imagesIn(patch);
  const parsed = readPatch(patch);
  if (!parsed) return { text, lost: 1, images };
  const whole = applyPatch(text, parsed, { autoConvertLineEndings: false });
  if (whole !== false) return { text: whole, lost: 0, images };
  let [result, lost] = [text, 0];
  // Starts with the last hunk, because applying one does not move those before it.
  for (const hunk of [...parsed.hunks].reverse()) {
    const next = applyPatch(result, { ...parsed, hunks: [hunk] }, { autoConvertLineEndings: false, fuzzFactor: 1 });
    if (next === false) lost += 1;
    else result = next;
  }
  return { text: result, lost, images };
}

/** Undefined when it is no diff of one file: anyone who may edit the page may have written it by hand. The other files must not suffer. */
function readPatch(patch: string): StructuredPatch | undefined {
  try {
    const [parsed, ...others] = parsePatch(patch);
    return others.length === 0 ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Reads the lines before the diff, which name the file of each image; names contain no spaces there. Anybody who may write the page may
 * have written these lines by hand, so a path that leads out of a folder is ignored.
 */
function imagesIn(patch: string): Map<string, string> {
  const images = new Map<string, string>();
  for (const line of patch.split('\n')) {
    if (line.startsWith('--- ')) break;
    const [word, url, path] = line.split(' ');
    const file = decoded(path ?? '');
    if (word === 'image' && url && isPagePath(file)) images.set(file, url);
  }
  return images;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
