import { composed } from './mark-runs.ts';

/** Names that Windows reserves for devices, with any extension. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;
const longestChars = 60;

/** The start of a title as lowercase letters and digits of any script, which no file system and no shell could misread. */
export function fileWords(title: string, mostChars: number): string {
  const words = composed(title)
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
  return [...words].slice(0, mostChars).join('').replace(/-$/, '');
}

/**
 * Makes a file name that every system accepts from a title: lowercase letters and digits of any script, as `octavo pull` names files.
 * It is never a device name, and short enough in UTF-8.
 * @param unnamed the name for a title without letters and digits
 */
export function fileNameOf(title: string, ending: string, unnamed = 'page'): string {
  const short = fileWords(title, longestChars);
  const safe = short === '' ? unnamed : devices.test(short) ? `${short}-page` : short;
  return `${safe}.${ending}`;
}
