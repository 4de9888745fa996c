const heicBrands = /^ftyp(?:hei[cfmsx]|hev[cmsx]|mif1|msf1)/;

/** Why a browser could not draw a file, and what to do about it. Only its first bytes are read: names and types are often wrong. */
export async function whyUnreadable(file: Blob): Promise<string> {
  if (file.size === 0) return 'It is empty.';
  const start = await readStart(file);
  if (start.startsWith('%PDF')) return 'It is a PDF. Save its pages as PNG or JPEG first.';
  if (heicBrands.test(start.slice(4))) return 'It is a HEIC photo, which this browser cannot read. Save it as JPEG first.';
  if (/^(?:\u00ef\u00bb\u00bf)?\s*</.test(start) && /<svg\b/i.test(start)) return 'It is an SVG drawing. Save it as PNG first.';
  return 'This browser cannot read it as an image.';
}

/** One character a byte. Empty for a file that was deleted or changed after it was chosen. */
async function readStart(file: Blob): Promise<string> {
  try {
    return String.fromCharCode(...new Uint8Array(await file.slice(0, 1_024).arrayBuffer()));
  } catch {
    return '';
  }
}
