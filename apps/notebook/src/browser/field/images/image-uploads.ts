import { limits } from '../../../limits.ts';
import { ApiProblem } from '../../api/api-client.ts';
import type { NotebookSession } from '../../session/notebook-session.ts';
import { imageLink } from './image-markdown.ts';
import { ImagePlaces } from './image-places.ts';
import { ImageShrinker } from './image-shrinker.ts';
import { forgetUpload, noteUpload, watchLeftBehind } from './left-behind.ts';
import { createPlaceholderId, placeholderText } from './placeholder.ts';
import { sendImage } from './send-image.ts';
import { faultOf, Unsendable, type UploadFault } from './upload-fault.ts';
import { whyUnreadable } from './why-unreadable.ts';

export type UploadState =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'shrinking' }
  /** `part`: 0 to 1. */
  | { readonly kind: 'sending'; readonly part: number }
  | ({ readonly kind: 'failed' } & UploadFault)
  /** The image is stored, but its placeholder is gone from every page. */
  | { readonly kind: 'unplaced'; readonly link: string };

export interface Upload {
  readonly id: string;
  readonly file: File;
  readonly name: string;
  state: UploadState;
}

export interface FailedUpload extends Upload {
  readonly state: Extract<UploadState, { kind: 'failed' }>;
}

export const hasFailed = (upload: Upload): upload is FailedUpload => upload.state.kind === 'failed';

interface Running extends Upload {
  readonly stop: AbortController;
}

/** Two at a time, so that one is shrunk while the other is sent. */
const atOnce = 2;

/** The image uploads of one open notebook: those under way and those that failed. */
export class ImageUploads {
  /** In the order they were added. Finished uploads are removed. */
  uploads: Running[] = [];
  /** The last message, for people who do not see the list. */
  announcement = '';
  /** True when the server has no image store. */
  off: boolean;
  offNoticed = false;
  readonly places: ImagePlaces;
  readonly #session: NotebookSession;
  readonly #shrinker = new ImageShrinker();
  readonly #listeners = new Set<() => void>();
  /** Placeholders whose upload is settled but that are still noted on this device. */
  readonly #settled = new Set<string>();
  #running = 0;

  static readonly #ofSessions = new WeakMap<NotebookSession, ImageUploads>();

  static of(session: NotebookSession): ImageUploads {
    const known = ImageUploads.#ofSessions.get(session) ?? new ImageUploads(session);
    ImageUploads.#ofSessions.set(session, known);
    return known;
  }

  private constructor(session: NotebookSession) {
    this.#session = session;
    // The page's markup names the origin of images; without an image store it names none.
    this.off = document.querySelector<HTMLElement>('#editor')?.dataset.imageOrigin === undefined;
    this.places = new ImagePlaces(session, id => this.#noticeFilled(id));
    session.listen(() => this.#forgetSaved());
    void watchLeftBehind(session, ids => this.#removeLeftBehind(ids));
    addEventListener('beforeunload', event => this.#running > 0 && event.preventDefault());
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Inserts a placeholder for each file at this place in the field shown, and starts the uploads. */
  add(files: readonly File[], place: { from: number; to: number }): void {
    if (files.length === 0 || this.#session.notebook.readOnly) return;
    if (this.refuseWhenOff()) return;
    const made = files.map(file => this.#make(file));
    this.uploads = [...this.uploads, ...made];
    // Noted before any placeholder is inserted, also for uploads that wait for their turn.
    for (const { id } of made) noteUpload(this.#session, id);
    this.places.insert(made.map(({ name, id }) => placeholderText(name, id)).join('\n'), place);
    this.#notify();
    this.#startNext();
  }

  /** @returns true when there is no image store; it then says so */
  refuseWhenOff(): boolean {
    if (this.off) this.#noticeOff();
    return this.off;
  }

  cancel(id: string): void {
    const upload = this.uploads.find(other => other.id === id);
    if (!upload) return;
    upload.stop.abort(new DOMException('The person cancelled.', 'AbortError'));
    this.#settle(id, '');
    this.#drop(id);
    this.#announce(`${upload.name} was cancelled.`);
  }

  /** Removes an upload that failed or lost its place. */
  dismiss(id: string): void {
    this.#drop(id);
    this.#notify();
  }

  dismissOff(): void {
    this.offNoticed = false;
    this.#notify();
  }

  #make(file: File): Running {
    const taken = [...this.places.texts, ...this.uploads.map(upload => `#${upload.id}]`)];
    const id = createPlaceholderId(size => crypto.getRandomValues(new Uint8Array(size)), taken);
    return { id, file, name: file.name || 'image', state: { kind: 'waiting' }, stop: new AbortController() };
  }

  #startNext(): void {
    while (this.#running < atOnce) {
      const next = this.uploads.find(upload => upload.state.kind === 'waiting');
      if (!next) return;
      this.#running += 1;
      void this.#run(next).finally(() => {
        this.#running -= 1;
        this.#startNext();
      });
    }
  }

  async #run(upload: Running): Promise<void> {
    try {
      this.#show(upload, { kind: 'shrinking' });
      const bytes = await this.#readyToSend(upload);
      // Nobody wants the image if its placeholder was deleted or undone meanwhile.
      if (!this.places.isInText(upload.id)) {
        this.cancel(upload.id);
        return;
      }
      this.#show(upload, { kind: 'sending', part: 0 });
      const stored = await sendImage({
        slug: this.#session.slug,
        editToken: this.#session.editToken,
        bytes,
        signal: upload.stop.signal,
        onProgress: part => this.#show(upload, { kind: 'sending', part }),
      });
      this.#arrived(upload, imageLink(upload.name, stored.url));
    } catch (problem) {
      if (!upload.stop.signal.aborted) this.#failed(upload, problem);
    }
  }

  async #readyToSend({ file, stop }: Running): Promise<Blob> {
    const shrunk = await this.#shrinker.shrink(file);
    stop.signal.throwIfAborted();
    if (shrunk.kind === 'unreadable') throw Unsendable.unreadable(await whyUnreadable(file));
    const bytes = shrunk.kind === 'ready' ? shrunk.blob : file;
    if (bytes.size > limits.maxImageBytes) throw Unsendable.tooLarge(bytes.size, shrunk.kind === 'ready');
    return bytes;
  }

  #arrived(upload: Running, link: string): void {
    if (this.#settle(upload.id, link)) {
      this.#drop(upload.id);
      this.#announce(`${upload.name} is in the page.`);
    } else {
      this.#show(upload, { kind: 'unplaced', link });
    }
  }

  #failed(upload: Running, problem: unknown): void {
    this.#settle(upload.id, '');
    if (problem instanceof ApiProblem && problem.code === 'images_off') {
      this.off = true;
      this.#drop(upload.id);
      this.#noticeOff();
    } else {
      this.#show(upload, { kind: 'failed', ...faultOf(problem) });
    }
  }

  #settle(id: string, text: string): boolean {
    const wasInText = this.places.settle(id, text);
    this.#settled.add(id);
    this.#forgetSaved();
    return wasInText;
  }

  /** Forgets only placeholders that are in no text: one on the server or in an unsaved text comes back if this tab dies before a save. */
  #forgetSaved(): void {
    for (const id of this.#settled) {
      if (this.places.isKept(id)) continue;
      this.#settled.delete(id);
      forgetUpload(this.#session, id);
    }
  }

  /** Removes the placeholders of closed tabs. A read-only notebook cannot be changed; that is left for another time. */
  #removeLeftBehind(ids: readonly string[]): void {
    if (this.#session.notebook.readOnly) return;
    const count = ids.filter(id => this.#settle(id, '')).length;
    if (count > 0) this.#session.notes.show({ name: 'left images', tone: 'warning', text: leftWords(count) });
  }

  #noticeFilled(id: string): void {
    if (this.uploads.some(upload => upload.id === id && upload.state.kind === 'unplaced')) this.dismiss(id);
  }

  #noticeOff(): void {
    this.offNoticed = true;
    this.#notify();
  }

  #show(upload: Running, state: UploadState): void {
    if (!upload.stop.signal.aborted) upload.state = state;
    this.#notify();
  }

  #drop(id: string): void {
    this.uploads = this.uploads.filter(upload => upload.id !== id);
  }

  #announce(text: string): void {
    this.announcement = text;
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

const leftWords = (count: number): string =>
  count === 1
    ? '1 image didn’t arrive, because its window was closed. Add it again.'
    : `${count} images didn’t arrive, because their window was closed. Add them again.`;
