import type { EditorPage } from '../../session/editor-page.ts';
import { firstLine, hasNoTitle } from '../../session/name-untitled.ts';

/** The title that the page was given; empty for "Page 1". */
export const givenTitle = (page: EditorPage): string => (hasNoTitle(page) ? '' : page.title);

export const isEmpty = (page: EditorPage): boolean => hasNoTitle(page) && firstLine(page.saver.text) === undefined;
