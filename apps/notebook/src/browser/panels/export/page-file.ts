import { firstHeading } from '../../../markdown/heading.ts';
import { readFrontMatter, writeFrontMatter } from '../../files/front-matter.ts';
import type { PageCopy } from './notebook-copy.ts';

/**
 * The page's text, unchanged. A title that is not the text's first heading is put before it as front matter, which an import reads and
 * removes again, so that an export can be imported unchanged.
 */
export function pageFile({ title, markdown }: PageCopy): string {
  const says = firstHeading(markdown) === title && !readFrontMatter(markdown);
  return says ? markdown : writeFrontMatter(title) + markdown;
}
