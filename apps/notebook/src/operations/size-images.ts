import type { Rendered } from '../markdown/rendered.ts';
import type { Needs } from './parts.ts';

/**
 * Our own images say how large they are, so that nothing moves when they come. Of others nobody knows it before.
 * @returns the same rendering when the page shows no image of its notebook
 */
export async function sizeImages(parts: Needs<'store' | 'objects'>, notebookId: string, rendered: Rendered): Promise<Rendered> {
  const { objects, store } = parts;
  if (!objects || !rendered.html.includes(`<img src="${objects.publicUrl(notebookId)}`)) return rendered;
  const sizes = new Map((await store.listImages(notebookId)).map(image => [objects.publicUrl(image.key), image]));
  // A quotation mark inside an attribute's value is written as a reference: what looks like an image here is one.
  const html = rendered.html.replace(/<img src="([^"]*)"([^<>]*)/g, (tag, url: string, rest: string) => {
    const size = sizes.get(url);
    // What the writer says comes first.
    if (!size || / (?:width|height)="/.test(rest)) return tag;
    return `<img src="${url}" width="${size.width}" height="${size.height}"${rest}`;
  });
  return { ...rendered, html };
}
