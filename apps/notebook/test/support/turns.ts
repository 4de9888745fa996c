/** The result of the work, and how many turns of the event loop it took. */
export async function turnsOf<Result>(work: () => Promise<Result>): Promise<{ result: Result; turns: number }> {
  let [turns, isOpen] = [0, true];
  const count = () => {
    turns += 1;
    if (isOpen) setImmediate(count);
  };
  setImmediate(count);
  const result = await work();
  isOpen = false;
  return { result, turns };
}
