import type { ShownParts } from '../shown-parts.ts';
import { FieldLines } from './field-lines.ts';
import { PreviewLines } from './preview-lines.ts';

export interface ScrollSyncParts {
  readonly field: HTMLTextAreaElement;
  /** The scrolling pane of the preview. */
  readonly preview: HTMLElement;
  readonly shown: ShownParts;
  readonly read: () => string;
}

type Side = 'field' | 'preview';

/** How a person moves a pane. A scroll without any of these came from us or from the layout and must not move the other pane. */
const intents = ['wheel', 'pointerdown', 'touchstart', 'keydown'] as const;

/** How often a place is looked up again after a jump, because parts get their true heights only when they come into view. */
const corrections = 4;

/** Keeps both panes at the same place of the text. The one the person touched last leads. */
export class ScrollSync {
  readonly #parts: ScrollSyncParts;
  readonly #fieldLines: FieldLines;
  readonly #previewLines: PreviewLines;
  readonly #ending = new AbortController();
  readonly #resized: ResizeObserver;
  readonly #widths = { field: 0, preview: 0 };
  #leader: Side = 'field';
  #line = 0;
  #frame = 0;
  #correctionsLeft = 0;

  constructor(parts: ScrollSyncParts) {
    this.#parts = parts;
    this.#fieldLines = new FieldLines(parts.field);
    this.#previewLines = new PreviewLines(parts.preview, parts.shown);
    this.#listen('field');
    this.#listen('preview');
    this.#resized = new ResizeObserver(entries => this.#layoutChanged(entries));
    for (const box of [parts.field, parts.preview, parts.preview.querySelector('.prose')!]) this.#resized.observe(box);
    document.fonts.addEventListener('loadingdone', () => this.follow(), { signal: this.#ending.signal });
  }

  /** Call this when something other than the leader has changed: text, images, widths. */
  follow(): void {
    this.#correctionsLeft = corrections;
    this.#plan();
  }

  close(): void {
    this.#ending.abort();
    this.#resized.disconnect();
    cancelAnimationFrame(this.#frame);
    this.#fieldLines.close();
  }

  #listen(side: Side): void {
    const pane = this.#parts[side];
    const options = { passive: true, signal: this.#ending.signal };
    for (const intent of intents) pane.addEventListener(intent, () => this.#lead(side), options);
    pane.addEventListener('scroll', () => this.#leader === side && this.follow(), options);
  }

  #lead(side: Side): void {
    this.#leader = side;
  }

  #plan(): void {
    if (this.#frame) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#sync();
    });
  }

  #isVisible(side: Side): boolean {
    return this.#parts[side].clientHeight > 0;
  }

  /** After a change of width or mode, or when an image loaded: the line stays, and the pane that changed scrolls to its new position. */
  #layoutChanged(entries: readonly ResizeObserverEntry[]): void {
    const field = entries.some(({ target }) => target === this.#parts.field);
    const preview = entries.some(({ target }) => target !== this.#parts.field);
    if (field && this.#isVisible('field')) this.#place('field');
    if (preview && this.#isVisible('preview')) this.#place('preview');
  }

  #sync(): void {
    const other = this.#leader === 'field' ? 'preview' : 'field';
    if (this.#line > 0 || this.#parts[this.#leader].scrollTop > 0) this.#readField();
    // A hidden leader no longer leads, but the last line it led to still counts.
    if (this.#isVisible(this.#leader)) this.#readLine(this.#leader);
    if (!this.#isVisible(other) || !this.#place(other)) return;
    this.#correctionsLeft -= 1;
    if (this.#correctionsLeft > 0) this.#plan();
  }

  /** A pane whose text now wraps differently is at another line until it is scrolled back to its own. */
  #readLine(side: Side): void {
    const { clientWidth } = this.#parts[side];
    if (this.#widths[side] !== 0 && clientWidth !== this.#widths[side]) this.#place(side);
    else this.#line = this.#lineOf(side);
    this.#widths[side] = clientWidth;
  }

  #lineOf(side: Side): number {
    const { scrollTop } = this.#parts[side];
    if (scrollTop <= 0) return 0;
    return side === 'field' ? this.#fieldLines.lineAt(scrollTop) : this.#previewLines.lineAt(scrollTop, this.#fieldLines.lines);
  }

  /** @returns whether the pane had to be moved */
  #place(side: Side): boolean {
    const pane = this.#parts[side];
    if (side === 'field' && this.#line > 0) this.#readField();
    const wanted = this.#line <= 0 ? 0 : this.#heightOf(side);
    const most = pane.scrollHeight - pane.clientHeight;
    const target = Math.max(0, Math.min(wanted, most));
    if (Math.abs(target - pane.scrollTop) < 1) return false;
    pane.scrollTo({ top: target, behavior: 'instant' });
    return true;
  }

  /** Not at the top, where both panes are whatever their lines are: measuring lays the window out again, and the editor begins there. */
  #readField(): void {
    this.#fieldLines.read(this.#parts.read(), () => this.follow());
  }

  #heightOf(side: Side): number {
    if (side === 'field') return this.#fieldLines.yOf(this.#line);
    return this.#previewLines.yOf(this.#line, this.#fieldLines.lines);
  }
}
