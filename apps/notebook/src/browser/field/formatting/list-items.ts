/** The prefix of a list item: quote marks and spaces, marker, space, checkbox. */
export interface ListItem {
  readonly before: string;
  readonly kind: ListKind;
  readonly marker: string;
  /** Set for a numbered item. */
  readonly number: number;
  /** `[ ]` or `[x]`, also behind a number. */
  readonly box: string | undefined;
  /** The whole prefix, checkbox included. */
  readonly prefix: string;
}

export type ListKind = 'bulleted' | 'numbered' | 'task';

export function readListItem(line: string): ListItem | undefined {
  // `* * *` is a divider.
  if (/^\s*([-*_])(?:\s*\1){2,}\s*$/.test(line)) return undefined;
  const found = /^((?:\s*>)*\s*)([-*+]|(\d{1,9})[.)])(?:\s+(\[[ xX]\])(?=\s|$))?(?:\s+|$)/.exec(line);
  if (!found) return undefined;
  const [prefix, before, marker, number, box] = found;
  const kind = number !== undefined ? 'numbered' : box !== undefined ? 'task' : 'bulleted';
  return { before: before!, kind, marker: marker!, number: Number(number ?? 0), box, prefix };
}
