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

/** HTML that shows a notebook on another site. */
export function embedCode(
  origin: string,
  notebook: { readonly slug: string; readonly title: string },
  width = 640,
  height = 480,
) {
  const src = origin + embedUrls.embed(notebook.slug);
  return `<iframe src="${src}" title="${attribute(notebook.title)}" width="${width}" height="${height}" loading="lazy" style="border:1px solid #8884;max-width:100%"></iframe>`;
}
