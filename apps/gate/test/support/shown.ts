/** What a page of the gate says, line by line: paragraphs, links with their addresses, and buttons. */
export function shownOn(html: string): string[] {
  const text = (markup: string) =>
    markup
      .replace(/<[^>]*>/g, '')
      .replace(/&amp;/g, '&')
      .replace(/&quot;/g, '"')
      .replace(/\s+/g, ' ')
      .trim();
  return [...html.matchAll(/<(h1|p|a|button|li|label)\b([^>]*)>(.*?)<\/\1>/gs)].map(([, tag, attributes = '', inside = '']) => {
    const href = /\bhref="([^"]*)"/.exec(attributes)?.[1];
    if (tag === 'li')
      return text(inside) + (/\bhref="([^"]*)"/.exec(inside)?.[1] ?? '').replace(/^/, ' -> ').replaceAll('&amp;', '&');
    return href === undefined ? text(inside) : `${text(inside)} -> ${href.replaceAll('&amp;', '&')}`;
  });
}
