import { withCallouts } from './callouts.ts';
import { readFrontMatter } from './front-matter.ts';
import { withoutAsides } from './notion.ts';
import { withoutComments } from './obsidian-comments.ts';
import { type FindFile, withoutWikiSyntax } from './wiki-links.ts';

export interface Understood {
  readonly markdown: string;
  /** From the front matter. */
  readonly title?: string;
  /** `%%comments%%` that readers do not get. */
  readonly comments: number;
}

/** A file of a note program as Markdown that everybody reads. What is left out stays in the file, which an export makes again. */
export function understandFile(path: string, text: string, find: FindFile): Understood {
  const front = readFrontMatter(text);
  const { text: visible, count } = withoutComments(front ? front.text : text);
  const shown = withoutWikiSyntax(withCallouts(withoutAsides(visible)), path, find);
  const tags = front ? front.tags : [];
  const markdown = tags.length === 0 ? shown : `${shown.trimEnd()}\n\nTags: ${tags.map(tag => `#${tag}`).join(' ')}\n`;
  return { markdown, comments: count, ...(front?.title === undefined ? {} : { title: front.title }) };
}
