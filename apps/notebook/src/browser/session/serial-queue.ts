/** Actions that wait for each other, in the order they were asked for. One that fails holds up nobody. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  take<Result>(action: () => Promise<Result>): Promise<Result> {
    const mine = this.#last.then(action);
    this.#last = mine.catch(() => {});
    return mine;
  }
}
