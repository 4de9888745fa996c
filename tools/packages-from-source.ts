import { registerHooks } from 'node:module';

// Use with `node --import` in a test's process: loads our packages from their sources, built or not.
registerHooks({
  resolve(specifier, context, next) {
    const name = /^@octavo\/([a-z-]+)$/.exec(specifier)?.[1];
    if (name === undefined) return next(specifier, context);
    return { url: new URL(`../packages/${name}/src/index.ts`, import.meta.url).href, shortCircuit: true };
  },
});
