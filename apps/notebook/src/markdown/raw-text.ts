import { rawTextSign } from './notes-renderer.ts';

// super-linear: it begins with a sign that no text contains.
const signed = new RegExp(`${rawTextSign}<([a-z]+)`, 'gi');

/**
 * "Use the <style> tag" in a sentence would make the HTML parser swallow the rest of the page. As in GitHub's tag filter,
 * such a tag becomes text, but only if nothing closes it. A closed one is left for the sanitizer to remove.
 */
export function settleRawText(html: string): string {
  if (!html.includes(rawTextSign)) return html;
  const folded = html.toLowerCase();
  const lastClose = new Map<string, number>();
  return html.replace(signed, (_, name: string, at: number) => {
    const key = name.toLowerCase();
    const close = lastClose.get(key) ?? folded.lastIndexOf(`</${key}`);
    lastClose.set(key, close);
    return close > at && key !== 'plaintext' ? `<${name}` : `&lt;${name}`;
  });
}
