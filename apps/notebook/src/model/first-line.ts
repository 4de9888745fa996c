import { withoutDirectionControls } from './title.ts';

const titleChars = 80;
/** A name is looked for in this much of a text. */
export const nameChars = 4_000;
/** A link or image; the first group is its text, without the address. */
const linkOrImage = /!?\[([^[\]]*)\]\([^()\s]*\)/g;

/** The name of a text without a heading: its first line with a word in it. Undefined while there is none. */
export function firstLine(markdown: string): string | undefined {
  for (const line of markdown.slice(0, nameChars).split(/[\r\n]+/)) {
    const words = shortened(line.slice(0, 400));
    if (words) return words;
  }
  return undefined;
}

function shortened(line: string): string {
  const words = withoutDirectionControls(line)
    .replaceAll(linkOrImage, '$1')
    .replace(/^(?:[-*+>\s]|#{1,6}\s)+/, '')
    .trimEnd();
  return shortTitle(words);
}

/** A title where it is only mentioned: at most as long as a first line. */
export function shortTitle(title: string): string {
  const chars = [...title];
  return chars.length > titleChars
    ? `${chars
        .slice(0, titleChars - 1)
        .join('')
        .trimEnd()}…`
    : title;
}
