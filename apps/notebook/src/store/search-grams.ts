import { unspacedRuns, wordRuns } from '../model/search-text.ts';

export { foldForSearch } from '../model/search-text.ts';

/** What a search of three characters looks for, from folded text. */
export function longGrams(folded: string): Set<string> {
  const grams = new Set<string>();
  for (const run of folded.split(' ')) addGrams(grams, [...run], 3);
  return grams;
}

/** What a search of one or two characters looks for, from folded text: whole short words, and characters and pairs. */
export function shortGrams(folded: string): Set<string> {
  const grams = new Set<string>();
  for (const [run] of folded.matchAll(unspacedRuns)) {
    const characters = [...run];
    addGrams(grams, characters, 1);
    addGrams(grams, characters, 2);
  }
  for (const [run] of folded.matchAll(wordRuns)) if ([...run].length <= 2) grams.add(run);
  return grams;
}

function addGrams(grams: Set<string>, characters: readonly string[], size: number): void {
  for (let at = 0; at + size <= characters.length; at++) grams.add(characters.slice(at, at + size).join(''));
}
