const wordsAMinute = 220;
/** Scripts without spaces are read by the sign. */
const signsAMinute = 450;
const sign = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/gu;
/** The rest of a longer page is taken to be like its beginning: nobody needs the minute, and counting megabytes keeps others waiting. */
const countedChars = 200_000;

/** Whole minutes, at least one, that a rendered text takes to read. */
export function readingMinutes(html: string): number {
  const counted = html.slice(0, countedChars);
  // super-linear: of HTML that we wrote ourselves, where every "<" begins a tag and every tag ends.
  const text = counted.replace(/<annotation.*?<\/annotation>/gs, ' ').replace(/<[^>]*>/g, ' ');
  const signs = text.match(sign)?.length ?? 0;
  const words = text.replace(sign, ' ').match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  const share = counted.length / html.length || 1;
  return Math.max(1, Math.round((words / wordsAMinute + signs / signsAMinute) / share));
}
