import { putAddresses, type WithAddresses } from '../../browser/files/original-file.ts';
import { identifyImage } from '../../model/image.ts';
import type { Terminal } from '../command.ts';
import { CommandFailed } from '../command.ts';
import { type ApiClient, NoAnswer } from './api-client.ts';
import { sha256 } from './connect.ts';
import type { KeptImages, KeptNotebook } from './kept-notebooks.ts';
import type { PushedFile, PushedImage } from './read-vault.ts';

const notAsked = 'not uploaded, because only pulled text names it, which another person may have written (--images uploads it)';

export interface UploadedImages {
  readonly put: (file: PushedFile) => WithAddresses;
  readonly missing: number;
  readonly images: KeptImages;
  /** The server stopped answering: the images after that one were not sent. */
  readonly unanswered: boolean;
}

/**
 * Uploads the images that pages show, each once: images that were pushed or pulled before already have an address. Images that the server
 * refuses are named, and their links stay as they are. One image at a time is in memory.
 * @param namedByOthers not uploaded, unless this very image was before
 */
export async function uploadImages(
  terminal: Terminal,
  server: ApiClient,
  { slug, images: known = {} }: KeptNotebook,
  images: readonly PushedImage[],
  namedByOthers: ReadonlySet<PushedImage>,
): Promise<UploadedImages> {
  const addresses = new Map<string, Map<string, string>>();
  let sent = 0;
  const kept: Record<string, string> = { ...known };
  const there = new Map(
    Object.keys(known).length === 0 ? [] : (await server.listImages(slug)).map(({ url }) => [identifyImage(url), url]),
  );
  let unanswered = false;
  for (const [at, image] of images.entries()) {
    const { path, top, read } = image;
    try {
      const bytes = readBytes(read);
      const hash = sha256(bytes);
      const before = kept[hash];
      if (before === undefined && namedByOthers.has(image)) throw new CommandFailed(notAsked);
      const url =
        (before === undefined ? undefined : there.get(identifyImage(before))) ?? (await server.addImage(slug, bytes)).url;
      there.set(identifyImage(url), url);
      kept[hash] = url;
      addresses.set(top, (addresses.get(top) ?? new Map<string, string>()).set(path, url));
      sent += 1;
    } catch (error) {
      if (!(error instanceof CommandFailed)) throw error;
      terminal.complain(`${path}: ${error.message}`);
      unanswered = error instanceof NoAnswer;
      if (!unanswered) continue;
      const unsent = images.slice(at + 1).map(other => other.path);
      if (unsent.length > 0) terminal.complain(`These images were not sent: ${unsent.join(', ')}.`);
      break;
    }
  }
  const none = new Map<string, string>();
  const put = ({ filePath, top, markdown }: PushedFile) =>
    filePath === undefined ? { text: markdown, images: none } : putAddresses(filePath, markdown, addresses.get(top) ?? none);
  return { put, missing: images.length - sent, images: kept, unanswered };
}

/** @throws CommandFailed when the image cannot be read now */
function readBytes(read: () => Uint8Array): Uint8Array {
  try {
    return read();
  } catch (error) {
    throw new CommandFailed(`it cannot be read: ${(error as Error).message}`);
  }
}
