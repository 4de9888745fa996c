/** One chunk of its own, fetched after the start: most pages never need it. */
export { keepBoth } from './keep-both.ts';
export { mergeTexts } from './merge-texts.ts';
export { moveCaret } from './move-caret.ts';
