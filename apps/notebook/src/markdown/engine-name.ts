/**
 * Names everything that changes the output; kept renderings are found by it. Raise the number with every change of output, or of how it is
 * kept: an upgraded engine, sanitizer, highlighter or step. A test compares a digest of many outputs with the one noted here.
 */
export const engineName = 'octavo-markdown-11';
