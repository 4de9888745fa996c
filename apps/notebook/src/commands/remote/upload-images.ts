import { putAddresses, type WithAddresses } from '../../browser/files/original-file.ts';
import type { ChosenFile } from '../../browser/files/read-import.ts';
import type { Terminal } from '../command.ts';
import { CommandFailed } from '../command.ts';
import type { ApiClient } from './api-client.ts';
import { sha256 } from './connect.ts';
import type { KeptImages, KeptNotebook } from './kept-notebooks.ts';
import type { PushedFile } from './read-vault.ts';

export interface UploadedImages {
  readonly put: (file: PushedFile) => WithAddresses;
  readonly missing: number;
  readonly images: KeptImages;
}

/**
 * Uploads the images that pages show, each once: images that were pushed or pulled before already have an address. Images that the server
 * refuses are named, and their links stay as they are.
 */
export async function uploadImages(
  terminal: Terminal,
  server: ApiClient,
  { slug, images: known = {} }: KeptNotebook,
  images: readonly ChosenFile[],
): Promise<UploadedImages> {
  const addresses = new Map<string, string>();
  const kept: Record<string, string> = { ...known };
  const there = new Set(Object.keys(known).length === 0 ? [] : (await server.listImages(slug)).map(({ url }) => url));
  for (const { path, bytes } of images) {
    const hash = sha256(bytes);
    const before = kept[hash];
    try {
      const url = before !== undefined && there.has(before) ? before : (await server.addImage(slug, bytes)).url;
      there.add(url);
      kept[hash] = url;
      addresses.set(path, url);
    } catch (error) {
      if (!(error instanceof CommandFailed)) throw error;
      terminal.complain(`${path}: ${error.message}`);
    }
  }
  const put = ({ filePath, markdown }: PushedFile) =>
    filePath === undefined ? { text: markdown, images: new Map() } : putAddresses(filePath, markdown, addresses);
  return { put, missing: images.length - addresses.size, images: kept };
}
