/**
 * Our own facts (source lines, places of footnote references) travel through the HTML parser as one attribute.
 * Its name is one that the text does not contain, so that nobody can write it: what carries it came from us.
 */
export interface Mark {
  readonly attribute: string;
  /** The same name as a property of a parsed element. */
  readonly property: string;
}

/** Names cannot be put together from pieces: raw HTML passes the engine unchanged, and no reference is read inside a name. */
export function chooseMark(source: string): Mark {
  let longest = -1;
  for (const [, suffix] of source.matchAll(/data-mark([a-z]*)/gi)) longest = Math.max(longest, suffix!.length);
  // One letter more than any the text has.
  const suffix = 'x'.repeat(longest + 1);
  return { attribute: `data-mark${suffix}`, property: `dataMark${suffix}` };
}
