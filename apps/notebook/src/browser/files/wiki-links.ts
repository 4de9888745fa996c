import { slugOf } from '../../markdown/steps/headings.ts';
import { imageEnding } from '../../model/page-path.ts';
import { findCode, replaceOutside } from './code-spans.ts';
import { withFormulas } from './formula-spans.ts';

/** Finds the file that a name in double brackets refers to, as a path from the root. Undefined when there is none. */
export type FindFile = (name: string) => string | undefined;

/** A link or picture in double brackets, or the id of a block at the end of a line. */
const wikiSyntax = /(!?)\[\[([^[\]|\n]{1,500})(?:\|([^[\]\n]{0,300}))?\]\]|[ \t]\^[a-z0-9-]{1,60}[ \t]*$/gim;

/** Turns `[[Note#Part|words]]`, `![[picture.png|300]]` and `^block-id` into Markdown that works everywhere. */
export function withoutWikiSyntax(text: string, fromPath: string, find: FindFile): string {
  if (!/\[\[|[ \t]\^/.test(text)) return text;
  return replaceOutside(text, withFormulas(text, findCode(text)), wikiSyntax, ([, mark, target, words]) =>
    target === undefined ? '' : linkTo(target, words, mark === '!', fromPath, find),
  );
}

/** In a table the bar before the words has a backslash, because otherwise it would end the cell. */
function linkTo(written: string, after: string | undefined, embedded: boolean, fromPath: string, find: FindFile): string {
  const inTable = after !== undefined && written.endsWith('\\');
  const target = (inTable ? written.slice(0, -1) : written).trim();
  const words = (inTable ? after.replaceAll('\\|', '|') : after)?.trim();
  const made = linkOf(target, words, embedded, fromPath, find);
  return inTable ? made.replaceAll('|', '\\|') : made;
}

function linkOf(target: string, words: string | undefined, embedded: boolean, fromPath: string, find: FindFile): string {
  const [name = '', ...parts] = target.split('#');
  const path = name.trim();
  if (embedded && imageEnding.test(path)) return image(relativeTo(fromPath, find(path) ?? path), words);
  const heading =
    parts
      .at(-1)
      ?.replace(/^\^.*$/, '')
      .trim() ?? '';
  const fragment = heading === '' ? '' : `#${encodeURIComponent(slugOf(heading))}`;
  const label = escapeLabel(words || [path.replace(/^.*\//, ''), ...parts.map(part => part.trim())].filter(Boolean).join(' > '));
  if (path === '') return fragment === '' ? label : `[${label}](${fragment})`;
  const ending = /\.\w{1,8}$/.test(path) && find(path) !== undefined ? '' : '.md';
  if (imageEnding.test(path) || /\.(?:pdf|mp3|mp4|canvas|webm|wav|svg)$/i.test(path)) return label;
  return `[${label}](${address(relativeTo(fromPath, find(path) ?? path + ending))}${fragment})`;
}

/** A number after an image is its width, as everywhere here. Other words are its alternative text. */
function image(path: string, words: string | undefined): string {
  const width = /^(\d{1,5})(?:x\d{1,5})?$/.exec(words ?? '')?.[1];
  if (width !== undefined) return `![|${width}](${address(path)})`;
  return `![${escapeLabel(words ?? '')}](${address(path)})`;
}

const escapeLabel = (words: string) => words.replace(/[[\]\\]/g, '\\$&');

/** Encodes a path for use in a Markdown link or an attribute. */
export const address = (path: string) =>
  encodeURI(path).replace(/[()'#?&]/g, sign => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

function relativeTo(fromPath: string, path: string): string {
  const from = fromPath.split('/').slice(0, -1);
  const to = path.split('/');
  let shared = 0;
  while (shared < from.length && shared < to.length - 1 && from[shared] === to[shared]) shared += 1;
  return [...from.slice(shared).map(() => '..'), ...to.slice(shared)].join('/');
}
