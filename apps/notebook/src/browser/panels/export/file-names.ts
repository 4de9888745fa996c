import { composed } from '../../../model/mark-runs.ts';

/** Names that Windows keeps for its devices, whatever the ending. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;
const longestChars = 60;

/**
 * A title as a file name that every system takes: letters and digits of any script, in small letters, as `octavo pull` names them.
 * Never empty, never a device, short enough in UTF-8.
 */
export function fileNameOf(title: string, ending: string): string {
  const words = composed(title)
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
  const short = [...words].slice(0, longestChars).join('').replace(/-$/, '');
  const safe = short === '' ? 'page' : devices.test(short) ? `${short}-page` : short;
  return `${safe}.${ending}`;
}

/** `03-weekly-plan.md`: in the notebook's order, whatever sorts them, and no two alike. */
export function numberedFileName(place: number, count: number, title: string): string {
  const digits = Math.max(2, String(count).length);
  return `${String(place + 1).padStart(digits, '0')}-${fileNameOf(title, 'md')}`;
}
