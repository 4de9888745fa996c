/** How many turns of the event loop a call that has ended has, until the next one of the same client comes. */
const turnsToNext = 100;

/**
 * Holds calls at a part's methods and lets them go one after the other, in the order of given numbers: so that every order in which requests
 * reach the store can come about, also one that chance would hardly bring, and comes about again. -1 is the last that came. It ends, and
 * its client comes to its next call, before another one goes: so one client may do all it does while another stands between two calls.
 */
export class Gate {
  #choices: number[] | undefined;
  readonly #waiting: (() => Promise<unknown>)[] = [];

  /** Every method waits here while calls are held. */
  around<Part extends object>(part: Part): Part {
    return new Proxy(part, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function' || name === 'publicUrl') return value;
        return (...args: unknown[]) => {
          const call = () => Reflect.apply(value, target, args) as unknown;
          return this.#choices ? this.#afterTurn(call) : call();
        };
      },
    });
  }

  #afterTurn(call: () => unknown): Promise<unknown> {
    const { promise: turn, resolve: go } = Promise.withResolvers<void>();
    const called = turn.then(call);
    this.#waiting.push(() => {
      go();
      return called.catch(() => {});
    });
    return called;
  }

  /** Runs the work, and lets what waits go by the given choices until it is done. */
  async hold<Result>(choices: readonly number[], work: () => Promise<Result>): Promise<Result> {
    this.#choices = [...choices];
    let isDone = false;
    const result = work().finally(() => {
      isDone = true;
    });
    result.catch(() => {});
    while (!isDone) {
      // The others get as far as they do without the store.
      for (let turn = 0; turn < 3; turn++) await new Promise(resolve => setImmediate(resolve));
      const choice = this.#choices.shift() ?? 0;
      const ended = this.#waiting.splice(choice < 0 ? choice : choice % Math.max(1, this.#waiting.length), 1)[0]?.();
      if (choice < 0) await this.#next(ended);
    }
    this.#choices = undefined;
    for (const go of this.#waiting.splice(0)) void go();
    return result;
  }

  async #next(ended: Promise<unknown> | undefined): Promise<void> {
    const others = this.#waiting.length;
    await ended;
    for (let turn = 0; turn < turnsToNext && this.#waiting.length <= others; turn++)
      await new Promise(resolve => setImmediate(resolve));
  }
}
