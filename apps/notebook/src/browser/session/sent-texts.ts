import type { Merging } from './save-state.ts';

/** Keeps the first and the three newest texts: a bad line may leave many in between, of a megabyte each. */
export function withSent(before: readonly string[], markdown: string): readonly string[] {
  const [first, ...rest] = before.filter(sent => sent !== markdown);
  return first === undefined ? [markdown] : [first, ...rest.slice(-2), markdown];
}

/** A sent text that theirs contains must have arrived. It becomes the base, so that the writer gets no conflict with their own words. */
export function mergeSent({ mergeTexts }: Merging, base: string, sent: readonly string[], mine: string, theirs: string) {
  const arrived = sent.findLast(text => text !== base && mergeTexts(base, text, theirs) === theirs);
  return mergeTexts(arrived ?? base, mine, theirs);
}
