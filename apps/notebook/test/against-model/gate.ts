/**
 * Holds calls at a part's methods and lets them go one after the other, in the order of given numbers (-1: the last that came): so that every order in which requests
 * reach the store can come about, also one that chance would hardly bring, and comes about again.
 */
export class Gate {
  #choices: number[] | undefined;
  readonly #waiting: (() => void)[] = [];

  /** Every method waits here while calls are held. */
  around<Part extends object>(part: Part): Part {
    return new Proxy(part, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function' || name === 'publicUrl') return value;
        return (...args: unknown[]) => {
          const call = () => Reflect.apply(value, target, args) as unknown;
          return this.#choices ? this.#turn().then(call) : call();
        };
      },
    });
  }

  #turn(): Promise<void> {
    return new Promise(resolve => this.#waiting.push(resolve));
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
      this.#waiting.splice(choice < 0 ? choice : choice % Math.max(1, this.#waiting.length), 1)[0]?.();
    }
    this.#choices = undefined;
    for (const go of this.#waiting.splice(0)) go();
    return result;
  }
}
