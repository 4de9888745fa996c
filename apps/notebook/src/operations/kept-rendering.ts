import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { Rendered } from '../markdown/rendered.ts';
import type { KeptRendering } from '../store/store.ts';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/**
 * Longer HTML is kept compressed: writing or reading a mebibyte in the database takes some ten milliseconds of the event loop, JSON takes
 * five more each way, and zlib works in threads.
 */
const longChars = 65_536;

export async function packRendering(rendered: Rendered): Promise<KeptRendering> {
  if (rendered.html.length <= longChars) return { json: JSON.stringify(rendered), packed: null };
  const { html, ...others } = rendered;
  return { json: JSON.stringify(others), packed: await deflate(html, { level: 1 }) };
}

export async function unpackRendering({ json, packed }: KeptRendering): Promise<Rendered> {
  const kept = JSON.parse(json) as Rendered;
  return packed ? { ...kept, html: (await inflate(packed)).toString() } : kept;
}
