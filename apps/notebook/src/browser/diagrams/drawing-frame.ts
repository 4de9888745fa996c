import { type DrawAnswer, type DrawRequest, readAnswer, type Scheme, unloaded } from './drawing.ts';
import { type LayoutAnswer, readLayoutRequest } from './graph-layout.ts';
import { layOut } from './lay-out.ts';

const loadMilliseconds = 20_000;
const drawMilliseconds = 10_000;
/** From the end of loading: the frame's script, if it came, has told by then. */
const tellMilliseconds = 1_000;

/** Draws all diagrams of a page in one frame, one after the other. If one hangs the frame is removed, and the next gets a new frame. */
export class DrawingFrame {
  #frame: HTMLIFrameElement | undefined;
  #ready: Promise<void> = Promise.resolve();
  #last: Promise<unknown> = Promise.resolve();
  #count = 0;
  #unloadedCount = 0;

  /** Undefined if nobody wants it any more when its turn comes, so that a text is drawn when its writer pauses, not at every key. */
  draw(source: string, scheme: Scheme, isWanted: () => boolean): Promise<DrawAnswer | undefined> {
    const unloadedBefore = this.#unloadedCount;
    const drawn = this.#last.then((): Promise<DrawAnswer> | DrawAnswer | undefined => {
      if (!isWanted()) return undefined;
      const request = { id: ++this.#count, source, scheme };
      // Waiting for the frame once is enough for all that waited together.
      return this.#unloadedCount > unloadedBefore ? { id: request.id, problem: unloaded } : this.#drawNow(request);
    });
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
    let problem = unloaded;
    try {
      this.#frame ??= this.#open();
      await this.#ready;
      problem = 'it takes too long';
      this.#frame.contentWindow!.postMessage(request, '*');
      const isAnswer = (data: unknown) => (readAnswer(data)?.id === request.id ? readAnswer(data) : undefined);
      const answer = await this.#hear(isAnswer, drawMilliseconds);
      // A document remembers which of its modules did not come.
      if ('problem' in answer && answer.problem === unloaded) this.close();
      return answer;
    } catch {
      if (problem === unloaded) this.#unloadedCount += 1;
      this.close();
      return { id: request.id, problem };
    }
  }

  #open(): HTMLIFrameElement {
    const frame = document.createElement('iframe');
    frame.className = 'drawing-frame';
    frame.setAttribute('sandbox', 'allow-scripts');
    frame.setAttribute('aria-hidden', 'true');
    frame.tabIndex = -1;
    // Not from urls.ts, whose whole table every view with a diagram would load (views/document.tsx).
    frame.src = document.documentElement.dataset.frames!;
    addEventListener('message', this.#onLayoutRequest);
    document.body.append(frame);
    this.#frame = frame;
    const failed = new Promise<never>((_, reject) => {
      frame.addEventListener('load', () => setTimeout(reject, tellMilliseconds));
    });
    this.#ready = Promise.race([failed, this.#hear(data => data === 'ready' || undefined, loadMilliseconds)]).then(() => {});
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
