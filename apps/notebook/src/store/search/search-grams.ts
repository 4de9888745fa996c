import { unspacedRuns, wordRuns } from '../../model/search-text.ts';

export { foldForSearch } from '../../model/search-text.ts';

/** The grams that a search for three or more characters looks for, from folded text. */
export function longGrams(folded: string): Set<string> {
  const grams = new Set<string>();
  for (const run of folded.split(' ')) addGrams(grams, run, 3);
  return grams;
}

/** The grams that a search for one or two characters looks for, from folded text: whole short words, single characters and pairs. */
export function shortGrams(folded: string): Set<string> {
  const grams = new Set<string>();
  for (const [run] of folded.matchAll(unspacedRuns)) {
    addGrams(grams, run, 1);
    addGrams(grams, run, 2);
  }
  for (const [run] of folded.matchAll(wordRuns)) if (run.length <= 4 && [...run].length <= 2) grams.add(run);
  return grams;
}

/** Adds each run of `size` characters. A surrogate pair counts as one. */
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
