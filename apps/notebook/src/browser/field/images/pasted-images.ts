/**
 * Returns the images that a paste or drop is meant to insert. Word processors add a picture of the text to the text; then the text is
 * meant. A picture copied in a browser comes with HTML that holds nothing but an `<img>`; then the picture is.
 */
export function readImages(data: DataTransfer | null): File[] {
  if (!data) return [];
  const images = imagesAmong([...data.files]);
  return images.length > 0 && !hasText(data, images) ? images : [];
}

/** The images, and PDFs among them: each of these is refused in the message about all images that were not added, with what to do. */
export function imagesAmong<Some extends { readonly type: string; readonly name: string }>(files: readonly Some[]): Some[] {
  return files.some(isImage) ? files.filter(file => isImage(file) || isPdf(file)) : [];
}

const isPdf = ({ type, name }: { type: string; name: string }) =>
  type === '' ? /\.pdf$/i.test(name) : type === 'application/pdf';

/** Checks the name too, because some systems give files no type. */
export function isImage({ type, name }: { type: string; name: string }): boolean {
  return type === '' ? /\.(png|jpe?g|gif|webp|avif|hei[cf]|bmp|tiff?)$/i.test(name) : type.startsWith('image/');
}

function hasText(data: DataTransfer, files: readonly File[]): boolean {
  const html = data.getData('text/html');
  if (html !== '') return wordsOfHtml(html) !== '';
  const plain = data.getData('text/plain').trim();
  // In a copy from a file manager the text is only the files' names or paths, or the picture's address.
  return (
    plain !== '' &&
    !plain.split(/\r?\n/).every(line => isNameOf(line.trim(), files) || /^(https?|file|blob|data):\S+$/.test(line))
  );
}

function isNameOf(line: string, files: readonly File[]): boolean {
  return files.some(({ name }) => line === name || line.endsWith(`/${name}`) || line.endsWith(`\\${name}`));
}

const unread = /^<(style|script|head|title|xml)\b/i;

/** Replaces comments, tags and the content of invisible elements by spaces, in one pass even if many of them have no end. */
function withoutUnseen(html: string): string {
  const small = html.toLowerCase();
  const never = new Set<string>();
  const endOf = (sign: string, from: number): number => {
    const at = never.has(sign) ? -1 : small.indexOf(sign, from);
    if (at === -1) never.add(sign);
    return at === -1 ? -1 : at + sign.length;
  };
  let seen = '';
  let at = 0;
  for (let tag = small.indexOf('<'); tag !== -1; tag = small.indexOf('<', at)) {
    seen += html.slice(at, tag);
    const name = unread.exec(small.slice(tag, tag + 10))?.[1];
    const whole = small.startsWith('<!--', tag) ? endOf('-->', tag) : name ? endOf(`</${name}`, tag) : -1;
    const end = endOf('>', whole === -1 ? tag : whole - 1);
    if (end === -1) return seen + html.slice(tag);
    seen += ' ';
    at = end;
  }
  return seen + html.slice(at);
}

/** The readable words of HTML. They are only counted, never shown, so no parser is needed; the page's policy would allow none. */
export function wordsOfHtml(html: string): string {
  return withoutUnseen(html)
    .replaceAll(/&(nbsp|#160|#xa0|zwnj|#8203|#xfeff);/gi, ' ')
    .replaceAll(/[\s\u200B\uFEFF]+/g, ' ')
    .trim();
}
