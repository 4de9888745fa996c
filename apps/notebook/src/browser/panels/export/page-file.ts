import { firstHeading } from '../../../markdown/heading.ts';
import { fileNameOf } from '../../../model/file-name.ts';
import { hasNoTitle, pageName } from '../../../model/page-name.ts';
import { readFrontMatter, writeFrontMatter } from '../../files/front-matter.ts';
import type { PageCopy } from './notebook-copy.ts';

/**
 * The page's text, unchanged. A title that is not the text's first heading is put before it as front matter, which an import reads and
 * removes again, so that an export can be imported unchanged. A page without a title has an empty one there: "Page 2" would be a title
 * after the import.
 */
export function pageFile({ title, markdown }: PageCopy): string {
  const heading = firstHeading(markdown);
  if (heading === '' && hasNoTitle({ title })) return writeFrontMatter('') + markdown;
  return heading === title && !readFrontMatter(markdown) ? markdown : writeFrontMatter(title) + markdown;
}

/** `weekly-plan.md`: a page without a title is named by its first line, as in the list of pages. */
export function pageFileName({ title, markdown }: PageCopy): string {
  return fileNameOf(pageName({ title, text: markdown }), 'md');
}
