import { putAddresses, type WithAddresses } from '../../browser/files/original-file.ts';
import type { ChosenFile } from '../../browser/files/read-import.ts';
import type { Terminal } from '../command.ts';
import { CannotDo } from '../command.ts';
import type { ApiClient } from './api-client.ts';
import type { PushedFile } from './read-vault.ts';

/** Uploads the images that pages show. Those that the server does not take are named, and their links stay as they are. */
export async function putImages(
  terminal: Terminal,
  server: ApiClient,
  slug: string,
  images: readonly ChosenFile[],
): Promise<{ readonly put: (file: PushedFile) => WithAddresses; readonly missing: number }> {
  const addresses = new Map<string, string>();
  for (const { path, bytes } of images) {
    try {
      addresses.set(path, (await server.addImage(slug, bytes)).url);
    } catch (error) {
      if (!(error instanceof CannotDo)) throw error;
      terminal.complain(`${path}: ${error.message}`);
    }
  }
  const put = ({ filePath, markdown }: PushedFile) =>
    filePath === undefined ? { text: markdown, images: new Map() } : putAddresses(filePath, markdown, addresses);
  return { put, missing: images.length - addresses.size };
}
