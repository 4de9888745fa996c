import type { FieldText, TextEdit } from '../text/field-text.ts';
import { insertDetails, insertDivider } from './blocks.ts';
import type { Shortcut } from './key-names.ts';
import { cycleHeading, toggleList, toggleQuote } from './line-marks.ts';
import { toggleLink } from './link.ts';
import { toggleBold, toggleCode, toggleHighlight, toggleItalic, toggleStrike } from './marks.ts';

/** A change to the text that has a button or a key. */
export interface Action {
  readonly name: string;
  readonly shortcut?: Shortcut;
  readonly edit: (field: FieldText) => TextEdit;
}

/** The keys are those of GitHub's comment box where it has one. None is needed by a browser or a screen reader. */
export const actions = {
  heading: { name: 'Heading', shortcut: { key: '6', shift: true }, edit: cycleHeading },
  bold: { name: 'Bold', shortcut: { key: 'b' }, edit: toggleBold },
  italic: { name: 'Italic', shortcut: { key: 'i' }, edit: toggleItalic },
  strike: { name: 'Strikethrough', shortcut: { key: 'x', shift: true }, edit: toggleStrike },
  highlight: { name: 'Highlight', edit: toggleHighlight },
  code: { name: 'Code', shortcut: { key: 'e' }, edit: toggleCode },
  link: { name: 'Link', shortcut: { key: 'k' }, edit: toggleLink },
  quote: { name: 'Quote', shortcut: { key: '.', shift: true }, edit: toggleQuote },
  bulleted: { name: 'Bulleted list', shortcut: { key: '8', shift: true }, edit: field => toggleList(field, 'bulleted') },
  numbered: { name: 'Numbered list', shortcut: { key: '7', shift: true }, edit: field => toggleList(field, 'numbered') },
  task: { name: 'Task list', shortcut: { key: '9', shift: true }, edit: field => toggleList(field, 'task') },
  details: { name: 'Details', edit: insertDetails },
  divider: { name: 'Divider', edit: insertDivider },
} as const satisfies Record<string, Action>;
