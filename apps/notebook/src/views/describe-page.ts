/** In so much of a page a description finds its words. */
const describedChars = 20_000;
/** So many characters describe it. */
const describedWith = 180;

/** The first words of a page as its readers see them, without headings; empty when there are none. */
export function describePage({ html }: { readonly html: string }): string {
  const text = html
    .slice(0, describedChars)
    // super-linear: of 20,000 characters that we wrote ourselves, where every "<" begins a tag and every tag ends.
    .replace(/<math.*?<annotation[^>]*>(.*?)<\/annotation>.*?<\/math>/gs, ' $1 ')
    .replace(/<h[1-6][^>]*>.*?<\/h[1-6]>/gs, ' ')
    .replace(/<br>|<\/(?:p|li|t[dhr]|d[dt]|div|pre|summary|blockquote)>/g, ' ')
    // super-linear: as above; the last tag may be cut.
    .replace(/<[^>]*(?:>|$)/g, '')
    .replace(/&lt;/g, '<')
    .replace(/&#x3C;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ')
    .trim();
  return text.length > describedWith
    ? `${text.slice(0, Math.max(0, text.lastIndexOf(' ', describedWith))) || text.slice(0, describedWith).toWellFormed()}…`
    : text;
}
