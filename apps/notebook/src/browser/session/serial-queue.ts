/** Runs actions one at a time, in the order they were requested. A failed one does not block the next. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<Result>(action: () => Promise<Result>): Promise<Result> {
    const mine = this.#last.then(action);
    this.#last = mine.catch(() => {});
    return mine;
  }
}
