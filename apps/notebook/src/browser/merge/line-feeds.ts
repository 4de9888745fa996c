/** A text field knows only `\n`; a text that came with others must not look changed because of that. */
export function withLineFeeds(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n');
}
