import { registerHooks } from 'node:module';

// `node --import` this in a process of a test: our packages as they stand here, built or not.
registerHooks({
  resolve(specifier, context, next) {
    const name = /^@octavo\/([a-z-]+)$/.exec(specifier)?.[1];
    if (name === undefined) return next(specifier, context);
    return { url: new URL(`../packages/${name}/src/index.ts`, import.meta.url).href, shortCircuit: true };
  },
});
