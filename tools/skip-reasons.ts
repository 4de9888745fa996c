import { describe, it, test } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** Why it was skipped; the run's last lines show it. */
    skipped?: string;
  }
}

/** Vitest's functions last as long as the worker: without this, each of its files would add a layer. */
const explains = Symbol.for('octavo.skip-reasons');

// Runs before every test file: `describe.skipIf('Firefox is not installed')` keeps the reason for the run's last lines.
type Declare = (name: string, ...rest: unknown[]) => unknown;
type Api = Declare & { skip: Api; skipIf: (reason: unknown) => Api; [explains]?: true };

for (const api of [describe, it, test] as unknown as Api[]) {
  if (api[explains]) continue;
  api[explains] = true;
  const skipIf = api.skipIf.bind(api);
  api.skipIf = reason => (typeof reason === 'string' ? explained(api.skip, reason) : skipIf(reason));
}

/** `it.skip` and its members (`.each`, `.for`), each test with the reason. */
function explained<Target extends object>(target: Target, skipped: string): Target {
  return new Proxy(target, {
    apply(declare, self, [first, ...rest]: unknown[]) {
      // `.each(cases)` returns another declaring function.
      if (typeof first !== 'string') return explained(Reflect.apply(declare as never, self, [first, ...rest]), skipped);
      const [options, body] = typeof rest[0] === 'object' ? rest : [{}, rest[0]];
      return Reflect.apply(declare as never, self, [first, { ...(options as object), meta: { skipped } }, body]);
    },
    get(found, key) {
      const value = Reflect.get(found, key);
      return typeof value === 'function' ? explained(value, skipped) : value;
    },
  });
}
