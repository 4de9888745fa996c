/** A text field uses only `\n`, and a text with other line ends must not look changed because of that. */
export function withLineFeeds(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n');
}
