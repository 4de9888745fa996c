import { XmlDocument } from 'libxml2-wasm';

/** Runs with one method of a class replaced. */
export function replaced<C extends object>(holder: C, name: keyof C, by: unknown, run: () => void): void {
  const kept = holder[name];
  holder[name] = by as C[keyof C];
  try {
    run();
  } finally {
    holder[name] = kept;
  }
}

/** How many documents were let go of while this ran. */
export function countDisposed(run: () => void): number {
  const { dispose } = XmlDocument.prototype;
  let disposed = 0;
  function counting(this: XmlDocument): void {
    disposed += 1;
    dispose.call(this);
  }
  replaced(XmlDocument.prototype, 'dispose', counting, run);
  return disposed;
}
