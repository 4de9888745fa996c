import { slugOf } from '../../markdown/steps/headings.ts';
import { imageEnding } from '../../model/page-path.ts';
import { outsideCode } from './code-spans.ts';

/** Finds the file that a name in double brackets refers to, as a path from the root. Undefined when there is none. */
export type FindFile = (name: string) => string | undefined;

const wikiLink = /(!?)\[\[([^[\]|\n]{1,500})(?:\|([^[\]\n]{0,300}))?\]\]/g;
const blockId = /[ \t]\^[a-z0-9-]{1,60}[ \t]*$/gim;

/** Turns `[[Note#Part|words]]`, `![[picture.png|300]]` and `^block-id` into Markdown that works everywhere. */
export function withoutWikiSyntax(text: string, fromPath: string, find: FindFile): string {
  if (!/\[\[|[ \t]\^/.test(text)) return text;
  return outsideCode(text, prose =>
    prose
      .replace(wikiLink, (_, embedded: string, target: string, words: string | undefined) =>
        linkTo(target.trim(), words?.trim(), embedded === '!', fromPath, find),
      )
      .replace(blockId, ''),
  );
}

function linkTo(target: string, words: string | undefined, embedded: boolean, fromPath: string, find: FindFile): string {
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
const address = (path: string) =>
  encodeURI(path).replace(/[()'#?&]/g, sign => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

function relativeTo(fromPath: string, path: string): string {
  const from = fromPath.split('/').slice(0, -1);
  const to = path.split('/');
  let shared = 0;
  while (shared < from.length && shared < to.length - 1 && from[shared] === to[shared]) shared += 1;
  return [...from.slice(shared).map(() => '..'), ...to.slice(shared)].join('/');
}
