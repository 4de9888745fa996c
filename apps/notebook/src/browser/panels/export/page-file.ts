import { firstHeading } from '../../../markdown/heading.ts';
import { readFrontMatter, writeFrontMatter } from '../../files/front-matter.ts';
import type { PageCopy } from './notebook-copy.ts';

/**
 * The page's text as it is. A title that the text does not say stands before it as front matter, which an import reads and takes away
 * again: what goes out comes back the same.
 */
export function pageFile({ title, markdown }: PageCopy): string {
  const says = firstHeading(markdown) === title && !readFrontMatter(markdown);
  return says ? markdown : writeFrontMatter(title) + markdown;
}
