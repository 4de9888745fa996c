/**
 * Our own data (source lines, places of footnote references) goes through the HTML parser in one attribute. The text does not contain the
 * attribute's name, so nobody can write it: an element that has it comes from us.
 */
export interface Mark {
  readonly attribute: string;
  /** The property with that name on a parsed element. */
  readonly property: string;
}

/** The name cannot be composed from pieces: raw HTML passes the engine unchanged, and references are not decoded inside names. */
export function chooseMark(source: string): Mark {
  let longest = -1;
  for (const [, suffix] of source.matchAll(/data-mark([a-z]*)/gi)) longest = Math.max(longest, suffix!.length);
  // One letter longer than any in the text.
  const suffix = 'x'.repeat(longest + 1);
  return { attribute: `data-mark${suffix}`, property: `dataMark${suffix}` };
}
