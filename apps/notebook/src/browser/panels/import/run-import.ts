import { ApiProblem, NoConnection } from '../../api/api-client.ts';
import { ImageShrinker } from '../../field/images/image-shrinker.ts';
import { sendImage } from '../../field/images/send-image.ts';
import { replaceImageLinks } from '../../files/image-links.ts';
import type { NotebookSession } from '../../session/notebook-session.ts';
import { type ChosenFile, findFile, type ImportPlan } from './read-import.ts';
import type { ImportedPage } from './read-page.ts';

export interface ImportRun {
  /** Of a run before this one. */
  readonly addresses?: ReadonlyMap<string, string> | undefined;
  /** What is being done, for the person who waits. */
  readonly onProgress: (words: string) => void;
}

export interface ImportOutcome {
  /** How many of the plan's pages are in the notebook now: the first ones. */
  readonly added: number;
  /** Sentences about images that were not uploaded; their links stay as they were. */
  readonly withoutImages: readonly string[];
  /** What the images that were uploaded are called now; a second run goes on with them. */
  readonly addresses: ReadonlyMap<string, string>;
  /** Why it stopped before the end. */
  readonly stopped?: unknown;
}

/** Images first, because the pages need their addresses; then the pages, one after the other, at the end of the notebook. */
export async function runImport(
  session: NotebookSession,
  plan: ImportPlan,
  { onProgress, addresses: known }: ImportRun,
): Promise<ImportOutcome> {
  const withoutImages: string[] = [];
  const addresses = known ?? (await uploadImages(session, plan.images, withoutImages, onProgress));
  let added = 0;
  for (const page of plan.pages) {
    onProgress(`Adding page ${added + 1} of ${plan.pages.length}…`);
    try {
      await session.pages.append(withImages(page, addresses));
    } catch (stopped) {
      return { added, withoutImages, addresses, stopped };
    }
    added += 1;
  }
  return { added, withoutImages, addresses };
}

function withImages({ path, title, markdown }: ImportedPage, addresses: ReadonlyMap<string, string>) {
  const text = replaceImageLinks(markdown, link => addresses.get(findFile(addresses, path, link) ?? ''));
  return { markdown: text, ...(title === undefined ? {} : { title }) };
}

/** The same road as a pasted image: made small here, looked at by the server. */
async function uploadImages(
  session: NotebookSession,
  images: readonly ChosenFile[],
  without: string[],
  onProgress: (words: string) => void,
): Promise<Map<string, string>> {
  const addresses = new Map<string, string>();
  const shrinker = new ImageShrinker();
  for (const [place, image] of images.entries()) {
    onProgress(`Uploading image ${place + 1} of ${images.length}…`);
    try {
      addresses.set(image.path, await uploadImage(session, shrinker, image));
    } catch (problem) {
      without.push(`${image.path} was not uploaded: ${problem instanceof Error ? problem.message : 'no reason was given'}`);
      if (stopsAll(problem)) {
        const left = images.length - place - 1;
        if (left > 0) without.push(`${left} more ${left === 1 ? 'image was' : 'images were'} left out for the same reason.`);
        break;
      }
    }
  }
  return addresses;
}

async function uploadImage(session: NotebookSession, shrinker: ImageShrinker, { bytes }: ChosenFile): Promise<string> {
  const original = new Blob([bytes as Uint8Array<ArrayBuffer>]);
  const shrunk = await shrinker.shrink(original);
  if (shrunk.kind === 'unreadable') throw new Error('it is not an image that this browser can read.');
  const { slug, editToken } = session;
  const sent = shrunk.kind === 'ready' ? shrunk.blob : original;
  const { signal } = new AbortController();
  return (await sendImage({ slug, editToken, bytes: sent, signal, onProgress: () => {} })).url;
}

/** The store is off, full or slow to answer for every other image too. */
function stopsAll(problem: unknown): boolean {
  if (!(problem instanceof ApiProblem)) return problem instanceof NoConnection;
  return problem.status !== 415 && problem.status !== 413;
}
