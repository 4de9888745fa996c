/** The edit token in a pasted edit link, or the bare token itself. */
export function readEditLink(pasted: string): string | undefined {
  const text = pasted.trim();
  const inLink = /\/e\/([\w-]{43})(?![\w-])/.exec(text)?.[1];
  return inLink ?? (/^[\w-]{43}$/.test(text) ? text : undefined);
}
