const maxMarks = 30;
/** Halfwidth katakana voicing marks are letters that become combining marks under NFKC; no other letters do. */
const longMarkRuns = /(?<![\p{M}\uff9e\uff9f])[\p{M}\uff9e\uff9f]{31,}/gu;

/**
 * Cuts runs of combining marks at 30, as the Stream-Safe Text Process does (UAX #15 §13): `normalize` sorts the marks of a run, and its
 * time grows with the square of the run's length. No writing system uses that many.
 */
export function cutMarkRuns(text: string): string {
  return text.replace(longMarkRuns, run => [...run.slice(0, maxMarks * 2)].slice(0, maxMarks).join(''));
}

/** One form of each character (NFC), in time linear in the text's length. */
export const composed = (text: string): string => cutMarkRuns(text).normalize('NFC');
