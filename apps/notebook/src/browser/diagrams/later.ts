/**
 * For parts that fetch diagrams when they need them. Not `show-diagrams.ts` itself: views import that at once, and a module that is
 * imported both ways brings the bundler's own 600 bytes to them.
 */
export { showDiagrams } from './show-diagrams.ts';
