/** Hexadecimal. Not `randomUUID`, which browsers keep from pages that came over plain http from another machine. */
export function randomKey(bytes: number): string {
  return [...crypto.getRandomValues(new Uint8Array(bytes))].map(byte => byte.toString(16).padStart(2, '0')).join('');
}
