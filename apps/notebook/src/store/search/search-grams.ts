import { unspacedRuns, wordRuns } from '../../model/search-text.ts';

export { foldForSearch } from '../../model/search-text.ts';

/** What a search of three characters looks for, from folded text. */
export function longGrams(folded: string): Set<string> {
  const grams = new Set<string>();
  for (const run of folded.split(' ')) addGrams(grams, run, 3);
  return grams;
}

/** What a search of one or two characters looks for, from folded text: whole short words, and characters and pairs. */
export function shortGrams(folded: string): Set<string> {
  const grams = new Set<string>();
  for (const [run] of folded.matchAll(unspacedRuns)) {
    addGrams(grams, run, 1);
    addGrams(grams, run, 2);
  }
  for (const [run] of folded.matchAll(wordRuns)) if (run.length <= 4 && [...run].length <= 2) grams.add(run);
  return grams;
}

/** Each `size` characters in a row. One that is a pair of surrogates counts once. */
function addGrams(grams: Set<string>, run: string, size: number): void {
  const starts: number[] = [];
  let at = 0;
  for (const character of run) {
    starts.push(at);
    at += character.length;
    if (starts.length < size) continue;
    grams.add(run.slice(starts[0], at));
    starts.shift();
  }
}
