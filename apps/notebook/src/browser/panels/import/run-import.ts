import { limits } from '../../../limits.ts';
import { isPagePath } from '../../../model/page-path.ts';
import { ApiProblem, NoConnection } from '../../api/api-client.ts';
import { ImageShrinker } from '../../field/images/image-shrinker.ts';
import { sendImage } from '../../field/images/send-image.ts';
import { whyUnreadable } from '../../field/images/why-unreadable.ts';
import { makePatch, putAddresses } from '../../files/original-file.ts';
import type { ChosenFile, ImportPlan } from '../../files/read-import.ts';
import type { ImportedPage } from '../../files/read-page.ts';
import type { EditorPage } from '../../session/editor-page.ts';
import type { NotebookSession } from '../../session/notebook-session.ts';
import { retryUntilAccepted, Stopped, type Waiting } from './retry-until-accepted.ts';

export interface ImportRun {
  /** Addresses of images uploaded by an earlier run. */
  readonly addresses?: ReadonlyMap<string, string> | undefined;
  /** Tells the person who waits what is being done. */
  readonly onProgress: (words: string) => void;
  /** Stops the import before the next page or image, while an image is being sent, or while it waits. */
  readonly signal: AbortSignal;
}

export interface ImportOutcome {
  /** How many of the plan's pages were added, counted from the first. */
  readonly added: number;
  /** Sentences about images that were not uploaded; their links stay as they were. */
  readonly withoutImages: readonly string[];
  /** Sentences about files that an export cannot restore. */
  readonly notKept: readonly string[];
  /** The addresses of the uploaded images, for a second run to continue with. */
  readonly addresses: ReadonlyMap<string, string>;
  /** Why the import stopped early. */
  readonly stopped?: unknown;
}

/**
 * Uploads images first, because the pages need their addresses, then adds the pages one by one at the end of the notebook. When the
 * service asks it to wait, it waits and continues.
 */
export async function runImport(session: NotebookSession, plan: ImportPlan, run: ImportRun): Promise<ImportOutcome> {
  const withoutImages: string[] = [];
  const notKept: string[] = [];
  const addresses = new Map(run.addresses);
  let added = 0;
  try {
    await uploadImages(session, plan.images, { addresses, without: withoutImages, run });
  } catch (stopped) {
    return { added, withoutImages, notKept, addresses, stopped };
  }
  const empty = emptyOnlyPage(session);
  for (const page of plan.pages) {
    try {
      const words = `Adding page ${added + 1} of ${plan.pages.length}`;
      const { input, loss } = withImages(page, addresses);
      await retryUntilAccepted(() => session.pages.append(input, page), waitingWith(words, run));
      if (loss !== undefined) notKept.push(`${page.path}: ${loss}`);
    } catch (stopped) {
      return { added, withoutImages, notKept, addresses, stopped };
    }
    added += 1;
  }
  // Checked again: an import may take minutes, and the page may have been written on meanwhile.
  if (empty?.saver.text.trim() === '' && added > 0) session.pages.delete(empty.id);
  return { added, withoutImages, notKept, addresses };
}

/** A notebook created for this import has a single page that nobody wrote. */
function emptyOnlyPage({ pages }: NotebookSession): EditorPage | undefined {
  const [only, ...others] = pages.all;
  return only && others.length === 0 && only.saver.text.trim() === '' ? only : undefined;
}

/** Returns the page with the patch that restores its file, or else why an export cannot restore it. */
function withImages({ path, title, markdown, original }: ImportedPage, addresses: ReadonlyMap<string, string>) {
  const put = putAddresses(path, markdown, addresses);
  const input = { markdown: put.text, ...(title === undefined ? {} : { title }) };
  if (!isPagePath(path)) return { input, loss: 'its path is too long to keep' };
  const patch = makePatch(put, original, limits.maxPagePatchChars);
  const loss = patch === undefined ? 'the page differs from the file in too many places' : undefined;
  return { input: { ...input, file: { path, patch: patch ?? '' } }, loss };
}

const waitingWith = (words: string, { onProgress, signal }: ImportRun): Waiting => ({
  onTry: () => onProgress(`${words}…`),
  onWait: end => onProgress(`${words}: the service asks us to wait. It goes on ${end}.`),
  signal,
});

interface Uploading {
  readonly addresses: Map<string, string>;
  readonly without: string[];
  readonly run: ImportRun;
}

/**
 * Uploads images like pasted ones: shrunk here and checked by the server. Those of an earlier run are skipped.
 * @throws Stopped
 */
async function uploadImages(
  session: NotebookSession,
  images: readonly ChosenFile[],
  { addresses, without, run }: Uploading,
): Promise<void> {
  const shrinker = new ImageShrinker();
  for (const [place, image] of images.entries()) {
    if (addresses.has(image.path)) continue;
    try {
      const words = `Uploading image ${place + 1} of ${images.length}`;
      addresses.set(
        image.path,
        await retryUntilAccepted(() => uploadImage(session, shrinker, image, run.signal), waitingWith(words, run)),
      );
    } catch (problem) {
      if (problem instanceof Stopped) throw problem;
      if (run.signal.aborted) throw new Stopped();
      without.push(`${image.path} was not uploaded: ${problem instanceof Error ? problem.message : 'no reason was given'}`);
      if (stopsAll(problem)) {
        const left = images.length - place - 1;
        if (left > 0) without.push(`${left} more ${left === 1 ? 'image was' : 'images were'} left out for the same reason.`);
        break;
      }
    }
  }
}

async function uploadImage(
  session: NotebookSession,
  shrinker: ImageShrinker,
  { bytes }: ChosenFile,
  signal: AbortSignal,
): Promise<string> {
  const original = new Blob([bytes as Uint8Array<ArrayBuffer>]);
  const shrunk = await shrinker.shrink(original);
  signal.throwIfAborted();
  if (shrunk.kind === 'unreadable') throw new Error(await whyUnreadable(original));
  const { slug, editToken } = session;
  const sent = shrunk.kind === 'ready' ? shrunk.blob : original;
  return (await sendImage({ slug, editToken, bytes: sent, signal, onProgress: () => {} })).url;
}

/** True for problems that would hit every other image too: the store is off, full or out of reach. */
function stopsAll(problem: unknown): boolean {
  if (!(problem instanceof ApiProblem)) return problem instanceof NoConnection;
  return problem.status !== 415 && problem.status !== 413;
}
