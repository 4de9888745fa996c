import { hasDiagrams } from '../../markdown/has-diagrams.ts';
import workerUrl from '../../markdown/preview-worker.ts?worker&url';
import type { PlainReason, Rendered } from '../../markdown/rendered.ts';
import { markScrollBoxes } from '../scroll-boxes.ts';
import { trustRenderedHtml, trustWorkerUrl } from '../trusted-types.ts';
import { holdRemoteImages } from './remote-images.ts';

/** A text that keeps the worker longer than this would keep the server as long; it stops there too. */
const patienceMilliseconds = 8_000;

/** Renders in a worker and shows the newest answer. Typing never waits: while one text is rendered only the latest other is kept. */
export class Preview {
  readonly #place: HTMLElement;
  readonly #resized: ResizeObserver;
  readonly #notice: (reason: PlainReason | undefined) => void;
  #worker: Worker | undefined;
  #running: { id: number; markdown: string; timer: ReturnType<typeof setTimeout> } | undefined;
  #waiting: string | undefined;
  #count = 0;

  constructor(place: HTMLElement, notice: (reason: PlainReason | undefined) => void) {
    this.#place = place;
    this.#notice = notice;
    // Shown late (a phone's "Look"), dragged wider, turned: what overflows is not what did before.
    this.#resized = new ResizeObserver(() => markScrollBoxes(place));
    this.#resized.observe(place);
  }

  show(markdown: string): void {
    if (this.#running) this.#waiting = markdown;
    else this.#start(markdown);
  }

  close(): void {
    this.#resized.disconnect();
    clearTimeout(this.#running?.timer);
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  #start(markdown: string): void {
    this.#worker ??= this.#launch();
    const id = ++this.#count;
    this.#running = { id, markdown, timer: setTimeout(() => this.#giveUp(markdown), patienceMilliseconds) };
    this.#worker.postMessage({ id, markdown });
  }

  #launch(): Worker {
    const worker = new Worker(trustWorkerUrl(workerUrl), { type: 'module' });
    worker.addEventListener('message', (event: MessageEvent<{ id: number; rendered: Rendered }>) => {
      if (event.data.id === this.#running?.id) this.#answer(event.data.rendered);
    });
    worker.addEventListener('error', () => this.#running && this.#giveUp(this.#running.markdown));
    return worker;
  }

  #answer(rendered: Rendered): void {
    clearTimeout(this.#running?.timer);
    this.#running = undefined;
    this.#draw(rendered);
    const next = this.#waiting;
    this.#waiting = undefined;
    if (next !== undefined) this.#start(next);
  }

  #draw(rendered: Rendered): void {
    const template = document.createElement('template');
    template.innerHTML = trustRenderedHtml(rendered.html);
    holdRemoteImages(template.content);
    this.#place.replaceChildren(template.content);
    markScrollBoxes(this.#place);
    if (hasDiagrams(rendered.html))
      void import('../diagrams/show-diagrams.ts').then(({ showDiagrams }) => showDiagrams(this.#place));
    this.#notice(rendered.plain);
  }

  /** The worker hangs or died: it is ended, and the text is shown as it was written. */
  #giveUp(markdown: string): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    clearTimeout(this.#running?.timer);
    this.#running = undefined;
    const plain = document.createElement('pre');
    plain.textContent = markdown;
    this.#place.replaceChildren(plain);
    this.#notice('time');
    const next = this.#waiting;
    this.#waiting = undefined;
    if (next !== undefined && next !== markdown) this.#start(next);
  }
}
