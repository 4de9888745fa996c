import type { Rendered } from '../markdown/rendered.ts';
import { OwnImages } from './own-images.ts';
import type { Needs } from './parts.ts';

/**
 * Adds the size to our own images, so that the page does not move when they load. For other images nobody knows the size before that.
 * @returns the same rendering when the page shows no image of its notebook
 */
export async function sizeImages(parts: Needs<'store' | 'objects'>, notebookId: string, rendered: Rendered): Promise<Rendered> {
  const { objects, store } = parts;
  // However the address is spelled, the notebook's id is in it.
  const mark = `/${notebookId}/`;
  if (!objects || !rendered.html.includes(mark)) return rendered;
  const images = new OwnImages(objects, await store.listImages(notebookId));
  // A quotation mark inside an attribute's value is escaped, so every match here is a real image tag.
  const html = rendered.html.replace(/<img src="([^"]*)"([^<>]*)/g, (tag, url: string, rest: string) => {
    const size = url.includes(mark) ? images.find(url) : undefined;
    // The writer's own size takes precedence.
    if (!size || / (?:width|height)="/.test(rest)) return tag;
    return `<img src="${url}" width="${size.width}" height="${size.height}"${rest}`;
  });
  return { ...rendered, html };
}
