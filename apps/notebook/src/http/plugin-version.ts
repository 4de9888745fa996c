const metaKey = Symbol.for('plugin-meta');

/**
 * Fastify compares its version with the one that a plugin asks for, a thirtieth of the start. In the built program both are one file, whose parts
 * the lock file chose and every test from the sources compared; there the question is left out.
 */
export function checkedWhenBuilt<Plugin extends object>(plugin: Plugin): Plugin {
  const meta = (plugin as { [metaKey]?: { fastify?: string } })[metaKey];
  if (meta && import.meta.url.endsWith('.js')) delete meta.fastify;
  return plugin;
}
