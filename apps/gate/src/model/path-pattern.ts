import { asFile } from './as-file.ts';
import { coversPattern } from './pattern-cover.ts';
import { readRequestPath } from './request-path.ts';

/** A path in a rule: `*` stands for one segment, `**` for any number of them. */
export interface PathPattern {
  readonly text: string;
  matches(path: string): boolean;
  /** Whether it matches a path that was read as a file's (`asFile`); missing where case counts. */
  readonly matchesFile?: (file: string) => boolean;
  /** Whether it matches every path that the other one matches. Both must treat case alike. */
  covers(other: PathPattern): boolean;
  /** As they are compared, without a trailing slash. */
  readonly segments: readonly string[];
}

/** @returns the pattern, or why the text is not one */
export function readPathPattern(text: string, ignoreCase: boolean): PathPattern | string {
  if (!text.startsWith('/')) return 'must start with a slash';
  if (/[?#\\;\s]/.test(text)) return 'must be a plain path without ?, #, ; or spaces';
  // Paths are compared in this form, whichever form the editor of the file used.
  const composed = text.normalize('NFC');
  const segments = segmentsOf(ignoreCase ? composed.toLowerCase() : composed);
  for (const segment of segments) {
    if (segment === '.' || segment === '..') return 'must not contain dot segments';
    if (segment === '') return 'must not contain empty segments';
    if (segment.includes('*') && segment !== '*' && segment !== '**') return '* and ** must be whole segments';
    if (/%/.test(segment)) return 'must be written decoded, without %';
  }
  if (segments.filter(segment => segment === '**').length > 4) return 'may contain ** at most 4 times';
  const why = refusalOf(composed);
  if (why !== undefined) return `would never match, because such a request is refused: ${why}`;
  const matches = compile(segments);
  return {
    text,
    matches: ignoreCase ? path => matches(path.toLowerCase()) : matches,
    ...(ignoreCase ? { matchesFile: compile(segmentsOf(asFile(composed))) } : {}),
    covers: other => coversPattern(segments, other.segments),
    segments,
  };
}

function refusalOf(path: string): string | undefined {
  if (!path.isWellFormed()) return 'the path is not Unicode';
  const verdict = readRequestPath(encodeURI(path));
  return verdict.kind === 'refused' ? verdict.why : undefined;
}

/** Most patterns are a plain path, or one with everything under it: those are compared without splitting into segments. */
function compile(segments: readonly string[]): (path: string) => boolean {
  const stars = segments.filter(segment => segment === '*' || segment === '**').length;
  const plain = (parts: readonly string[]) => parts.map(part => `/${part}`).join('');
  if (stars === 0) {
    const [whole, withSlash] = [plain(segments) || '/', `${plain(segments)}/`];
    return path => path === whole || path === withSlash;
  }
  if (stars === 1 && segments.at(-1) === '**') {
    const [root, under] = [plain(segments.slice(0, -1)), `${plain(segments.slice(0, -1))}/`];
    return path => path === root || path.startsWith(under);
  }
  return path => matchSegments(segments, segmentsOf(path));
}

/** A trailing slash makes no difference: most servers answer both alike, and a rule for one must hold for the other. */
function segmentsOf(path: string): string[] {
  const trimmed = path.replace(/^\//, '').replace(/\/$/, '');
  return trimmed === '' ? [] : trimmed.split('/');
}

function matchSegments(pattern: readonly string[], path: readonly string[]): boolean {
  // Where to resume when the last ** should have taken one segment more.
  let star = -1;
  let retry = 0;
  let p = 0;
  let s = 0;
  while (s < path.length) {
    if (pattern[p] === '**') {
      star = p++;
      retry = s;
    } else if (p < pattern.length && (pattern[p] === '*' || pattern[p] === path[s])) {
      p += 1;
      s += 1;
    } else if (star !== -1) {
      p = star + 1;
      s = ++retry;
    } else return false;
  }
  while (pattern[p] === '**') p += 1;
  return p === pattern.length;
}
