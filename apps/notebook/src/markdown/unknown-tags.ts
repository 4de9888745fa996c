import { mathmlTagNames } from 'mathml-tag-names';
import { svgTagNames } from 'svg-tag-names';
import { isHtmlTag } from './known-tags.ts';

const drawn: ReadonlySet<string> = new Set([...svgTagNames, ...mathmlTagNames].map(name => name.toLowerCase()));

/** A tag name as the HTML parser reads it: from a letter to white space, a slash or the end of the tag. */
const tagStart = /<(\/?)([a-z][^\s/>]*)/gi;

/**
 * Shows tags like those in `List<Foo>` and `<module>`, which name no HTML element, as text. Otherwise the parser would make elements of
 * them and the sanitizer would drop them with their names.
 */
export function showUnknownTags(html: string): string {
  return html.replace(tagStart, (tag, slash: string, name: string) =>
    isHtmlTag(name) || drawn.has(name.toLowerCase()) ? tag : `&lt;${slash}${name.replaceAll('<', '&lt;')}`,
  );
}
