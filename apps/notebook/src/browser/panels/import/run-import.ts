import { limits } from '../../../limits.ts';
import { isPagePath } from '../../../model/page-path.ts';
import { ApiProblem, NoConnection } from '../../api/api-client.ts';
import { ImageShrinker } from '../../field/images/image-shrinker.ts';
import { sendImage } from '../../field/images/send-image.ts';
import { makePatch, putAddresses } from '../../files/original-file.ts';
import type { ChosenFile, ImportPlan } from '../../files/read-import.ts';
import type { ImportedPage } from '../../files/read-page.ts';
import type { EditorPage } from '../../session/editor-page.ts';
import type { NotebookSession } from '../../session/notebook-session.ts';
import { Stopped, type Waiting, whenTaken } from './when-taken.ts';

export interface ImportRun {
  /** From a run before this one. */
  readonly addresses?: ReadonlyMap<string, string> | undefined;
  /** What is being done, for the person who waits. */
  readonly onProgress: (words: string) => void;
  /** Ends it before the next page or image, while an image is on its way, and while it waits. */
  readonly signal: AbortSignal;
}

export interface ImportOutcome {
  /** How many of the plan's pages are in the notebook now: the first ones. */
  readonly added: number;
  /** Sentences about images that were not uploaded; their links stay as they were. */
  readonly withoutImages: readonly string[];
  /** Sentences about files that an export cannot give back as they were. */
  readonly notKept: readonly string[];
  /** What the images that were uploaded are called now; a second run goes on with them. */
  readonly addresses: ReadonlyMap<string, string>;
  /** Why it stopped before the end. */
  readonly stopped?: unknown;
}

/**
 * Images first, because the pages need their addresses; then the pages, one after the other, at the end of the notebook. Where the
 * service asks for patience, it waits and goes on.
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
      await whenTaken(() => session.pages.append(input, page), waitingWith(words, run));
      if (loss !== undefined) notKept.push(`${page.path}: ${loss}`);
    } catch (stopped) {
      return { added, withoutImages, notKept, addresses, stopped };
    }
    added += 1;
  }
  // An import may take minutes, and somebody else may have written meanwhile.
  if (empty?.saver.text.trim() === '' && added > 0) session.pages.delete(empty.id);
  return { added, withoutImages, notKept, addresses };
}

/** A notebook that was made for this import has one page that nobody wrote. */
function emptyOnlyPage({ pages }: NotebookSession): EditorPage | undefined {
  const [only, ...others] = pages.all;
  return only && others.length === 0 && only.saver.text.trim() === '' ? only : undefined;
}

/** The page, and what makes its file of it again; else what an export will lack. */
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
 * The same road as a pasted image: made small here, looked at by the server. Those of a run before this one are there already.
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
        await whenTaken(() => uploadImage(session, shrinker, image, run.signal), waitingWith(words, run)),
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
  if (shrunk.kind === 'unreadable') throw new Error('this browser cannot read that image.');
  const { slug, editToken } = session;
  const sent = shrunk.kind === 'ready' ? shrunk.blob : original;
  return (await sendImage({ slug, editToken, bytes: sent, signal, onProgress: () => {} })).url;
}

/** The store is off, full or slow to answer for every other image too. */
function stopsAll(problem: unknown): boolean {
  if (!(problem instanceof ApiProblem)) return problem instanceof NoConnection;
  return problem.status !== 415 && problem.status !== 413;
}
