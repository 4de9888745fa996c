/**
 * An image that is alone in its paragraph or figure. The renderer escapes quotes in attributes, so the expression matches whole tags and
 * nothing inside one.
 */
// super-linear: attributes are scanned only after the name of a tag.
const loneImage =
  /(<(?:p|figure)(?: [a-z-]+="[^"]*")*>\s*)(<img(?: [a-z-]+="[^"]*")*? src="((?:https?:)?[^":]+)"(?: [a-z-]+="[^"]*")*>)(?=\s*<(?:\/p|figcaption)>)/g;

/** Links each image to its file: the only way to see it larger without a script. With one, it opens above the page (site/zoom.ts). */
export function linkImages(html: string): string {
  if (!html.includes('<img ')) return html;
  return html.replace(loneImage, (_, opening: string, image: string, address: string) => {
    const named = / alt="\s*[^"\s]/.test(image) ? '' : ' aria-label="Show the image larger"';
    return `${opening}<a class="zoom" href="${address}" rel="nofollow ugc noopener noreferrer"${named}>${image}</a>`;
  });
}
