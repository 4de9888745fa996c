import { renderBounds } from '../bounds.ts';

/** Whether a page that is rendered piece by piece would take the server too long as a whole, as far as this machine can tell. */
export class SlowText {
  /** Of the text that was slow, in UTF-16 units; 0: none was. */
  #chars = 0;

  /**
   * A part that was made anew says nothing of the rest: what was slow is so until most of the text is gone.
   * @param millis what rendering it took now, whole or in part
   */
  note(millis: number, chars: number): boolean {
    if (millis > renderBounds.timeMillis) this.#chars = chars;
    else if (chars < this.#chars / 2) this.#chars = 0;
    return this.#chars > 0;
  }
}
