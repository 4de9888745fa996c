/**
 * Duplicate names within one object of a JSON text: `JSON.parse` silently takes the last, so the other would be a setting without
 * effect. @param text valid JSON
 */
export function findDuplicateNames(text: string): string[] {
  const found = new Set<string>();
  /** The names seen in each open object; undefined for a list. */
  const open: (Set<string> | undefined)[] = [];
  // super-linear: every quote of a JSON text is closed
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"(?:\s*:)?|[[\]{}]/g)) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(undefined);
    else if (token === '}' || token === ']') open.pop();
    else if (token.endsWith(':')) {
      const name = JSON.parse(token.slice(0, -1).trim()) as string;
      const names = open.at(-1);
      if (names?.has(name) === true) found.add(name);
      names?.add(name);
    }
  }
  return [...found];
}
