/**
 * Addresses of frames on other sites. Separate from `urls`, so that scripts of small pages do not load them; the words in them are reserved
 * slugs there.
 */
export const embedUrls = {
  embed: (slug: string) => `/n/${slug}/embed`,
  embedPage: (slug: string, pageId: string) => `/n/${slug}/embed?page=${pageId}`,
  oembed: () => '/oembed',
  oembedFor: (address: string, format: 'json' | 'xml') => `/oembed?format=${format}&url=${encodeURIComponent(address)}`,
} as const;

const attribute = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** HTML that shows a notebook on another site, from its first page or from `pageId`. */
export function embedCode(
  origin: string,
  notebook: { readonly slug: string; readonly title: string; readonly pageId?: string | undefined },
  width = 640,
  height = 480,
) {
  const { slug, pageId } = notebook;
  const src = origin + (pageId === undefined ? embedUrls.embed(slug) : embedUrls.embedPage(slug, pageId));
  return `<iframe src="${src}" title="${attribute(notebook.title)}" width="${width}" height="${height}" loading="lazy" style="border:1px solid #8884;max-width:100%"></iframe>`;
}
