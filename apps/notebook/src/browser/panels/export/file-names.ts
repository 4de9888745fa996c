import { composed } from '../../../model/mark-runs.ts';

/** Names that Windows reserves for devices, with any extension. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;
const longestChars = 60;

/**
 * Makes a file name that every system accepts from a title: lowercase letters and digits of any script, as `octavo pull` names files.
 * It is never empty, never a device name, and short enough in UTF-8.
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

/** `03-weekly-plan.md`. The number keeps the notebook's order in any sorting and makes each name unique. */
export function numberedFileName(place: number, count: number, title: string): string {
  const digits = Math.max(2, String(count).length);
  return `${String(place + 1).padStart(digits, '0')}-${fileNameOf(title, 'md')}`;
}
