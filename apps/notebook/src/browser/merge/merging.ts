/** A separate chunk that is loaded after the start, because most pages never need it. */
export { keepBoth } from './keep-both.ts';
export { mergeTexts } from './merge-texts.ts';
export { moveCaret } from './move-caret.ts';
