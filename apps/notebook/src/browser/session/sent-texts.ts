import type { Merging } from './save-state.ts';

/** The first and the newest: between them a bad line may have seen many, of a megabyte each. */
export function withSent(before: readonly string[], markdown: string): readonly string[] {
  const [first, ...rest] = before.filter(sent => sent !== markdown);
  return first === undefined ? [markdown] : [first, ...rest.slice(-2), markdown];
}

/** What was sent arrived when theirs holds all of it: then it is the base, and no conflict with oneself. */
export function mergeSent({ mergeTexts }: Merging, base: string, sent: readonly string[], mine: string, theirs: string) {
  const arrived = sent.findLast(text => text !== base && mergeTexts(base, text, theirs) === theirs);
  return mergeTexts(arrived ?? base, mine, theirs);
}
