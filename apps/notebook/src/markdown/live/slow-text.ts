import { renderBounds } from '../bounds.ts';

/** Estimates on this device whether a page rendered piece by piece would take the server too long as a whole. */
export class SlowText {
  /** The length of the slow text in UTF-16 units, or 0 if none was slow. */
  #chars = 0;

  /**
   * The time for a changed part tells nothing about the rest, so a slow text counts as slow until most of it is gone.
   * @param millis the time of this rendering, full or partial
   */
  note(millis: number, chars: number): boolean {
    if (millis > renderBounds.timeMillis) this.#chars = chars;
    else if (chars < this.#chars / 2) this.#chars = 0;
    return this.#chars > 0;
  }
}
