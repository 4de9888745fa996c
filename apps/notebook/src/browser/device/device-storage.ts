/** Local storage that never throws. It may be blocked, full or cleared at any time, and every page must still work. */
export function readKey(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** @returns false when the browser kept nothing: blocked or full */
export function writeKey(key: string, value: string): boolean {
  try {
    localStorage.setItem(key, value);
    return localStorage.getItem(key) === value;
  } catch {
    return false;
  }
}

export function removeKey(key: string): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // Blocked storage holds nothing to remove.
  }
}

export function keysWithPrefix(prefix: string): string[] {
  try {
    return Array.from({ length: localStorage.length }, (_, place) => localStorage.key(place) ?? '').filter(key =>
      key.startsWith(prefix),
    );
  } catch {
    return [];
  }
}

export function canStore(): boolean {
  const kept = writeKey('octavo.probe', '1');
  removeKey('octavo.probe');
  return kept;
}

/**
 * Prefix for the keys of create requests that got no answer yet, each stored with the time of its last try in milliseconds. Such a key is
 * as secret as the edit token the server derives from it, and is kept beside those (docs/decisions/0045).
 */
export const creatingPrefix = 'octavo.creating.';
