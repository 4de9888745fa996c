import { stat } from 'node:fs/promises';
import { relative } from 'node:path';
import { limits } from '../../limits.ts';
import { identifyImage } from '../../model/image.ts';
import { findImageType } from '../../model/image-type.ts';
import type { Terminal } from '../command.ts';
import type { ApiClient } from './api-client.ts';
import { sha256 } from './connect.ts';
import { fetchWithTimeout } from './fetch-with-timeout.ts';
import type { KeptImages } from './kept-notebooks.ts';
import { FileRefused, writeAtomically } from './markdown-files.ts';

/** An image that a file shows, and its place on disk. */
export interface ImagePlace {
  readonly url: string;
  /** Absolute. */
  readonly path: string;
}

/**
 * Writes images that are missing here. Existing files stay; images that cannot be fetched are named.
 */
export async function fetchImages(
  terminal: Terminal,
  server: ApiClient,
  slug: string,
  places: readonly ImagePlace[],
): Promise<{ readonly missing: number; readonly images: KeptImages; readonly written: ReadonlySet<string> }> {
  const wanted: ImagePlace[] = [];
  for (const place of places) if (!(await isThere(place.path))) wanted.push(place);
  const images: Record<string, string> = {};
  const written = new Set<string>();
  if (wanted.length === 0) return { missing: 0, images, written };
  // Anyone who may write a page may put any address into it, so only the notebook's own images are fetched.
  const own = new Map((await server.listImages(slug)).map(({ url }) => [identifyImage(url), url]));
  let missing = 0;
  for (const { url, path } of wanted) {
    const name = relative('', path);
    const now = own.get(identifyImage(url));
    const answer = now === undefined ? 'is not an image of this notebook any more' : await fetchImage(now);
    if (typeof answer === 'string') {
      missing += 1;
      terminal.complain(`${name}: ${answer}`);
      continue;
    }
    try {
      await writeAtomically(path, answer);
      images[sha256(answer)] = url;
      written.add(path);
      terminal.print(`${name}: written`);
    } catch (error) {
      if (!(error instanceof FileRefused)) throw error;
      missing += 1;
      terminal.complain(`${name}: ${error.message}`);
    }
  }
  return { missing, images, written };
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

/** Sent without the edit token: the address is public, and may be on another server. */
async function fetchImage(url: string): Promise<Uint8Array | string> {
  try {
    const answer = await fetchWithTimeout(url, { redirect: 'error' });
    if (!answer.ok) return `could not be fetched: the store answered ${answer.status}`;
    const bytes = new Uint8Array(await answer.arrayBuffer());
    if (bytes.length > limits.maxImageBytes || findImageType(bytes) === undefined) return 'is no image that can be kept';
    return bytes;
  } catch (error) {
    const { message, cause } = error as Error;
    return `could not be fetched: ${cause instanceof Error ? cause.message : message}`;
  }
}
