import { writeSync } from 'node:fs';
import { hangsOn } from './hangs-on.ts';

// The built service, in a thread whose `normalize` never comes back from one word: what a flaw of the engine would do.
// It only waits, so that it takes no core from other tests; blocking-service.ts is the one that computes without an end.
const never = new Int32Array(new SharedArrayBuffer(4));
const { normalize } = String.prototype;
String.prototype.normalize = function (form?: string) {
  if (this.includes(hangsOn)) {
    // At once: this thread says nothing more.
    writeSync(1, 'the thread hangs\n');
    Atomics.wait(never, 0, 0);
  }
  return normalize.call(this, form);
};
await import(new URL('../../dist/server/service.js', import.meta.url).href);
