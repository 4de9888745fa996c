import type { ServerResponse } from 'node:http';
import { atTurnEnd } from '../../event-loop-turns.ts';

/** A millisecond of views from memory: the first answer waits no longer for the last. */
const maxAnswers = 64;

/**
 * Sends the answers of one turn of the event loop together, at its end unless turns are long. A write may wake a client that sleeps on
 * another core, which interrupts us; a client that is still reading need not be woken for the next answer
 * (docs/decisions/0052-cold-views.md).
 */
export class AnswerBatch {
  #waiting: (() => void)[] = [];

  end(response: ServerResponse, body: Buffer | undefined): void {
    const length = this.#waiting.push(() => response.end(body));
    if (length >= maxAnswers) this.#send();
    else this.#sendAtEnd();
  }

  readonly #send = (): void => {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const end of waiting) end();
  };

  readonly #sendAtEnd = atTurnEnd(this.#send);
}
