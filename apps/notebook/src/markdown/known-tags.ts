import { htmlTagNames } from 'html-tag-names';

const html: ReadonlySet<string> = new Set(htmlTagNames);

/** Whether HTML has an element of this name, in upper or lower case. Obsolete elements count. */
export const isHtmlTag = (name: string): boolean => html.has(name.toLowerCase());
