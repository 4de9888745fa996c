import { urls } from '../../urls.ts';
import { type DrawAnswer, type DrawRequest, readAnswer, type Scheme } from './drawing.ts';
import { type LayoutAnswer, readLayoutRequest } from './graph-layout.ts';
import { layOut } from './lay-out.ts';

const loadMilliseconds = 20_000;
const drawMilliseconds = 10_000;

/** Draws all diagrams of a page in one frame, one after the other. If one hangs the frame is removed, and the next gets a new frame. */
export class DrawingFrame {
  #frame: HTMLIFrameElement | undefined;
  #ready: Promise<void> = Promise.resolve();
  #last: Promise<unknown> = Promise.resolve();
  #count = 0;

  /** Undefined if nobody wants it any more when its turn comes, so that a text is drawn when its writer pauses, not at every key. */
  draw(source: string, scheme: Scheme, isWanted: () => boolean): Promise<DrawAnswer | undefined> {
    const drawn = this.#last.then(() => (isWanted() ? this.#drawNow({ id: ++this.#count, source, scheme }) : undefined));
    this.#last = drawn;
    return drawn;
  }

  /** Ends all drawing. */
  close(): void {
    removeEventListener('message', this.#onLayoutRequest);
    this.#frame?.remove();
    this.#frame = undefined;
  }

  /** In most browsers the frame shares our thread, so our own worker does the part of its work that may take long. */
  readonly #onLayoutRequest = async ({ source, data }: MessageEvent): Promise<void> => {
    const frame = this.#frame?.contentWindow;
    const request = source === frame ? readLayoutRequest(data) : undefined;
    if (!frame || !request) return;
    const laidOut = await layOut(request.graph);
    frame.postMessage({ layout: request.layout, laidOut } satisfies LayoutAnswer, '*');
  };

  async #drawNow(request: DrawRequest): Promise<DrawAnswer> {
    try {
      this.#frame ??= this.#open();
      await this.#ready;
      this.#frame.contentWindow!.postMessage(request, '*');
      return (await this.#hear(data => (readAnswer(data)?.id === request.id ? readAnswer(data) : undefined), drawMilliseconds))!;
    } catch {
      this.close();
      return { id: request.id, problem: 'it takes too long' };
    }
  }

  #open(): HTMLIFrameElement {
    const frame = document.createElement('iframe');
    frame.className = 'drawing-frame';
    frame.setAttribute('sandbox', 'allow-scripts');
    frame.setAttribute('aria-hidden', 'true');
    frame.tabIndex = -1;
    frame.src = urls.diagram();
    addEventListener('message', this.#onLayoutRequest);
    document.body.append(frame);
    this.#frame = frame;
    this.#ready = this.#hear(data => data === 'ready' || undefined, loadMilliseconds).then(() => undefined);
    return frame;
  }

  /** Waits for the first message from this frame, and no other sender, that `read` accepts. */
  #hear<Answer>(read: (data: unknown) => Answer | undefined, timeoutMillis: number): Promise<Answer> {
    const window = this.#frame!.contentWindow;
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        removeEventListener('message', onMessage);
        clearTimeout(timer);
      };
      const onMessage = (event: MessageEvent): void => {
        const answer = event.source === window ? read(event.data) : undefined;
        if (answer === undefined) return;
        stop();
        resolve(answer);
      };
      const timer = setTimeout(() => {
        stop();
        reject(new Error('no answer'));
      }, timeoutMillis);
      addEventListener('message', onMessage);
    });
  }
}
