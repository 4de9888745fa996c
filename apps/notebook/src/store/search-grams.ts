/** Text as the search compares it: one form of each character, lower case, without the accents of alphabets. */
export function foldForSearch(text: string): string {
  // Marks of alphabets only: taking the marks of Japanese or Korean would make other letters of theirs.
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/gu, '')
    .normalize('NFC');
  return plain.replace(/\s+/gu, ' ');
}

/** Written without spaces between words: their words are found by single characters and pairs. */
const unspaced = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}ー々〆]+/gu;
const word = /[\p{L}\p{N}\p{M}]+/gu;

/** What a search of three characters looks for, from folded text. */
export function longGrams(folded: string): Set<string> {
  const grams = new Set<string>();
  for (const run of folded.split(' ')) addGrams(grams, [...run], 3);
  return grams;
}

/** What a search of one or two characters looks for, from folded text: whole short words, and characters and pairs. */
export function shortGrams(folded: string): Set<string> {
  const grams = new Set<string>();
  for (const [run] of folded.matchAll(unspaced)) {
    const characters = [...run];
    addGrams(grams, characters, 1);
    addGrams(grams, characters, 2);
  }
  for (const [run] of folded.matchAll(word)) if ([...run].length <= 2) grams.add(run);
  return grams;
}

function addGrams(grams: Set<string>, characters: readonly string[], size: number): void {
  for (let at = 0; at + size <= characters.length; at++) grams.add(characters.slice(at, at + size).join(''));
}
