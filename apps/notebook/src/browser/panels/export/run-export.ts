import * as calls from '../../../api/calls.ts';
import { fileNameOf } from '../../../model/file-name.ts';
import { identifyImage } from '../../../model/image.ts';
import { ApiProblem, call } from '../../api/api-client.ts';
import { isMissing, missingPart } from '../../device/missing-part.ts';
import { saveFile } from '../../device/save-file.ts';
import { trustWorkerUrl } from '../../device/trusted-types.ts';
import { findImageLinks } from '../../files/image-links.ts';
import type { NotebookSession } from '../../session/notebook-session.ts';
import { sentenceOf } from '../../ui/use-session.ts';
import { drawDiagrams } from './draw-diagrams.ts';
import workerUrl from './export-worker.ts?worker&url';
import type {
  ExportAnswer,
  ExportFormat,
  ExportQuestion,
  ExportRequest,
  ImageCopy,
  MadeExport,
  NotebookCopy,
  PageCopy,
} from './notebook-copy.ts';
import { pageFileName } from './page-file.ts';

const timeoutMillis = 120_000;
const imageTimeoutMillis = 60_000;

/** The message about the file that was handed to the browser. */
export interface Exported {
  readonly words: string;
  /** True when images are missing that another try may get. */
  readonly lacksImages: boolean;
}

export async function runExport(session: NotebookSession, format: ExportFormat): Promise<Exported> {
  const wanted = format === 'markdown' ? [session.current] : session.pages.all;
  const needsFiles = format === 'zip' || (format === 'html' && wanted.some(({ saver }) => namesFile(saver.text)));
  const files = needsFiles ? await filesOf(session) : new Map<string, PageFile>();
  const pages: PageCopy[] = wanted.map(({ id, title, saver }) => ({ id, title, markdown: saver.text, file: files.get(id) }));
  const { title } = session.notebook;
  const { images, lack, lacksImages } = format === 'markdown' ? noImages : await fetchImages(session, pages);
  const notebook = { title, pages, images } satisfies NotebookCopy;
  const { bytes, incomplete } = await askWorker({ format, notebook, now: Date.now() });
  const name = format === 'markdown' ? pageFileName(pages[0]!) : fileNameOf(title, format);
  saveFile(name, types[format], bytes);
  const sentences = [`Saved as ${name}.`];
  if (lack !== '') sentences.push(`${lack} The file shows them as long as they are on the web.`);
  if (incomplete.length > 0)
    sentences.push(
      `Comments or other parts of the imported file could not be put back, because the page was changed there: ${incomplete.join(', ')}.`,
    );
  return { words: sentences.join(' '), lacksImages };
}

interface PageFile {
  readonly pageId: string;
  readonly path: string;
  readonly patch: string;
}

/** Links between files can be resolved only with the files' paths. */
const namesFile = (markdown: string): boolean => /\.(?:md|markdown|mdown|mkd)\b/i.test(markdown);

/** Which files the pages were imported from. Without an answer they are named like pages written here. */
async function filesOf({ slug, editToken }: NotebookSession): Promise<Map<string, PageFile>> {
  if (editToken === undefined) return new Map();
  const { items } = await call(calls.listPageFiles, [slug], { editToken });
  return new Map(items.map(file => [file.pageId, file]));
}

const types: Record<ExportFormat, string> = {
  markdown: 'text/markdown;charset=utf-8',
  zip: 'application/zip',
  html: 'text/html;charset=utf-8',
};

interface FetchedImages extends Omit<Exported, 'words'> {
  readonly images: readonly ImageCopy[];
  /** Says which images of the pages are missing; empty when none are. */
  readonly lack: string;
}

const noImages: FetchedImages = { images: [], lack: '', lacksImages: false };

/** Fetches only the notebook's own images that its pages show. Other servers get no requests. */
async function fetchImages(session: NotebookSession, pages: readonly PageCopy[]): Promise<FetchedImages> {
  const shown = new Set(pages.flatMap(({ markdown }) => findImageLinks(markdown)).filter(link => /^https?:/i.test(link)));
  if (shown.size === 0) return noImages;
  if (session.isVisitor) return { ...noImages, lack: 'Its images are not in it: only the owner can export them.' };
  /** Each link of the pages, with the address that the image has now. */
  let own: readonly (readonly [link: string, address: string])[];
  try {
    const addresses = new Map((await session.api.listImages()).map(({ url }) => [identifyImage(url), url]));
    own = [...shown].flatMap(link => {
      const address = addresses.get(identifyImage(link));
      return address === undefined ? [] : [[link, address] as const];
    });
  } catch (problem) {
    if (problem instanceof ApiProblem && problem.code === 'images_off') return { ...noImages, lack: elsewhere(shown.size) };
    const lack = `Its images are not in it, because their list could not be loaded. ${sentenceOf(problem)}`;
    return { ...noImages, lack, lacksImages: true };
  }
  const images: ImageCopy[] = [];
  for (const [link, address] of own) {
    const image = await fetchImage(address);
    if (image) images.push({ ...image, url: link });
  }
  const missing = own.length - images.length;
  const sentences = [elsewhere(shown.size - own.length), missing > 0 ? `${missing} of its images could not be fetched.` : ''];
  return { images, lack: sentences.filter(Boolean).join(' '), lacksImages: missing > 0 };
}

function elsewhere(count: number): string {
  if (count === 0) return '';
  return count === 1 ? '1 image lies on another site and is not in it.' : `${count} images lie on other sites and are not in it.`;
}

/** Undefined when the store does not allow this origin to read it or cannot be reached. */
async function fetchImage(url: string): Promise<ImageCopy | undefined> {
  const signal = AbortSignal.timeout(imageTimeoutMillis);
  try {
    const answer = await fetch(url, { credentials: 'omit', referrerPolicy: 'no-referrer', signal });
    const type = answer.headers.get('content-type') ?? '';
    if (!answer.ok || !/^image\/(?:png|jpeg|gif|webp|avif)$/.test(type)) return undefined;
    return { url, type, bytes: new Uint8Array(await answer.arrayBuffer()) };
  } catch {
    return undefined;
  }
}

function askWorker(request: ExportRequest): Promise<MadeExport> {
  const worker = new Worker(trustWorkerUrl(workerUrl), { type: 'module' });
  const answer = new Promise<MadeExport>((resolve, reject) => {
    const giveUp = () => reject(new Error('The file could not be created: it takes too long or needs too much memory.'));
    worker.addEventListener('message', async ({ data }: MessageEvent<ExportAnswer>) => {
      if (data.kind === 'made') resolve(data.made);
      else ask(worker, { kind: 'drawn', drawings: await drawDiagrams(data.sources) });
    });
    worker.addEventListener('error', event => (isMissing(event) ? reject(new Error(missingPart)) : giveUp()));
    setTimeout(giveUp, timeoutMillis);
  });
  ask(worker, { kind: 'make', request });
  return answer.finally(() => worker.terminate());
}

const ask = (worker: Worker, question: ExportQuestion): void => worker.postMessage(question);
