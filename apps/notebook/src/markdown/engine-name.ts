/**
 * Identifies everything that affects the output; stored renderings are found by it. Increase the number with every change of the output or
 * of how it is stored: an upgraded engine, sanitizer, highlighter or step. A test compares a digest of many outputs with one noted there.
 */
export const engineName = 'octavo-markdown-15';
