import { hangsOn } from './hangs-on.ts';

// The built service, in a thread whose `normalize` never comes back from one word: what a flaw of the engine would do.
const { normalize } = String.prototype;
String.prototype.normalize = function (form?: string) {
  if (this.includes(hangsOn)) for (;;);
  return normalize.call(this, form);
};
await import(new URL('../../dist/server/service.js', import.meta.url).href);
