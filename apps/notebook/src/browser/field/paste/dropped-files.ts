import { limits } from '../../../limits.ts';
import { withLineFeeds } from '../../merge/line-feeds.ts';
import { imagesAmong } from '../images/pasted-images.ts';

type FileFacts = Pick<File, 'name' | 'type' | 'size'>;

interface Dropped<Some extends FileFacts> {
  /** Their text goes in where they were dropped. */
  readonly texts: readonly Some[];
  /** Why the others don't, in a sentence. Images have a way of their own. */
  readonly refusal: string | undefined;
}

/** Checks the name first: most systems know no type for Markdown. */
const isText = ({ name, type }: FileFacts) =>
  /\.(?:md|markdown|mdown|mkd|txt)$/i.test(name) || type === 'text/markdown' || type === 'text/plain';

const quoted = (files: readonly FileFacts[]) => files.map(({ name }) => `“${name}”`).join(', ');

/** Tells the files that the text can take from those it can't. @param how `Drop` or `Paste`, for the sentence */
export function sortDropped<Some extends FileFacts>(files: readonly Some[], how: 'Drop' | 'Paste'): Dropped<Some> {
  const images = imagesAmong(files);
  const others = files.filter(file => !isText(file) && !images.includes(file));
  const long = files.filter(file => isText(file) && file.size > limits.maxMarkdownBytes);
  const sentences = [
    others.length > 0 &&
      `${quoted(others)} can’t go into the text. ${how} Markdown, text or images here. A ZIP archive goes on the list of pages.`,
    long.length > 0 && `${quoted(long)} is too long: a page holds 1 MiB.`,
  ].filter(sentence => sentence !== false);
  return {
    texts: files.filter(file => isText(file) && !long.includes(file)),
    refusal: sentences.length > 0 ? sentences.join(' ') : undefined,
  };
}

/** The files one below the other. @throws when one is not UTF-8, which would put wrong letters into the text */
export async function readTexts(files: readonly File[]): Promise<string> {
  const texts = await Promise.all(files.map(readText));
  return texts.map(text => text.trimEnd()).join('\n\n');
}

async function readText(file: File): Promise<string> {
  const bytes = await file.arrayBuffer();
  try {
    return withLineFeeds(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new Error(`“${file.name}” was not inserted. Save it as UTF-8 text, and drop it again.`);
  }
}
