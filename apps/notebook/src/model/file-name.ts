import { composed } from './mark-runs.ts';

/** Names that Windows reserves for devices, with any extension. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;
const longestChars = 60;

/**
 * Makes a file name that every system accepts from a title: lowercase letters and digits of any script, as `octavo pull` names files.
 * It is never a device name, and short enough in UTF-8.
 * @param unnamed the name for a title without letters and digits
 */
export function fileNameOf(title: string, ending: string, unnamed = 'page'): string {
  const words = composed(title)
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
  const short = [...words].slice(0, longestChars).join('').replace(/-$/, '');
  const safe = short === '' ? unnamed : devices.test(short) ? `${short}-page` : short;
  return `${safe}.${ending}`;
}
