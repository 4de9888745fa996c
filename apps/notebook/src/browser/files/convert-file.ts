import { withCallouts } from './callouts.ts';
import { readFrontMatter } from './front-matter.ts';
import { withoutAsides } from './notion.ts';
import { withoutComments } from './obsidian-comments.ts';
import { type FindFile, withoutWikiSyntax } from './wiki-links.ts';

export interface ConvertedFile {
  readonly markdown: string;
  /** From the front matter. */
  readonly title?: string;
  /** Whether the front matter says that it has no title. */
  readonly isUntitled: boolean;
  /** The number of `%%comments%%` left out. */
  readonly comments: number;
}

/** Turns a note app's file into Markdown that works everywhere. What is left out is kept in the file, which an export restores. */
export function convertFile(path: string, text: string, find: FindFile): ConvertedFile {
  const front = readFrontMatter(text);
  const { text: visible, count } = withoutComments(front ? front.text : text);
  const shown = withoutWikiSyntax(withCallouts(withoutAsides(visible)), path, find);
  const tags = front ? front.tags : [];
  const markdown = tags.length === 0 ? shown : `${shown.trimEnd()}\n\nTags: ${tags.map(tag => `#${tag}`).join(' ')}\n`;
  return {
    markdown,
    comments: count,
    isUntitled: front?.isUntitled ?? false,
    ...(front?.title === undefined ? {} : { title: front.title }),
  };
}
