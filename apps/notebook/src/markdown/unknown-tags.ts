import { mathmlTagNames } from 'mathml-tag-names';
import { svgTagNames } from 'svg-tag-names';
import { isHtmlTag } from './known-tags.ts';

const drawn: ReadonlySet<string> = new Set([...svgTagNames, ...mathmlTagNames].map(name => name.toLowerCase()));

/** A tag's name as the HTML parser reads it: from a letter to white space, a slash or the tag's end. */
const tagStart = /<(\/?)([a-z][^\s/>]*)/gi;

/**
 * `List<Foo>` and `<module>` name no element: the parser would make one all the same, and the sanitizer would drop it with its name.
 * Such a tag is text.
 */
export function showUnknownTags(html: string): string {
  return html.replace(tagStart, (tag, slash: string, name: string) =>
    isHtmlTag(name) || drawn.has(name.toLowerCase()) ? tag : `&lt;${slash}${name.replaceAll('<', '&lt;')}`,
  );
}
