const wordsAMinute = 220;
/** Scripts without spaces are read by the sign. */
const signsAMinute = 450;
const sign = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/gu;

/** Whole minutes, at least one, that a rendered text takes to read. */
export function readingMinutes(html: string): number {
  const text = html.replace(/<annotation.*?<\/annotation>/gs, ' ').replace(/<[^>]*>/g, ' ');
  const signs = text.match(sign)?.length ?? 0;
  const words = text.replace(sign, ' ').match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  return Math.max(1, Math.round(words / wordsAMinute + signs / signsAMinute));
}
