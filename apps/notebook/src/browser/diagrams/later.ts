/**
 * For parts that load diagrams on demand. They must not load `show-diagrams.ts` directly: views import it statically, and a module
 * imported both ways adds the bundler's own 600 bytes to them.
 */
export { showDiagrams } from './show-diagrams.ts';
