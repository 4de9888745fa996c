import { type QuietChange, quietEdit } from '../text/quiet-edit.ts';
import { applyEdit, readField, replaceAll } from '../text/text-edit.ts';
import { fillText, findPlaceholders, replaceRange } from './placeholder.ts';

/** Inserted placeholders, as long as nothing was typed anywhere after them. */
export interface FreshInsertion {
  readonly textBefore: string;
  readonly textAfter: string;
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** Keeps images apart from the text behind them. Before a heading or an item, an image on the same line would make it plain text. */
export function withBreak(images: string, text: string, { from, to }: { from: number; to: number }): string {
  const isLineOver = to >= text.length || text[to] === '\n';
  if (isLineOver) return images;
  if (from === 0 || text[from - 1] === '\n') return `${images}\n\n`;
  return images.includes('\n') ? `${images}\n` : images;
}

export function insertFresh(
  field: HTMLTextAreaElement,
  images: string,
  { from, to }: { from: number; to: number },
): FreshInsertion {
  const textBefore = field.value;
  const insert = withBreak(images, textBefore, { from, to });
  const end = from + insert.length;
  applyEdit(field, { from, to, insert, start: end, end });
  return { textBefore, textAfter: field.value, from, to, insert };
}

/** Replaces settled placeholders by links and removes lines whose upload failed. */
export function settleInsertion(insert: string, settled: ReadonlyMap<string, string>): string {
  const failed = (line: string) => {
    const placed = findPlaceholders(line)[0];
    return placed !== undefined && line.length === placed.to - placed.from && settled.get(placed.id) === '';
  };
  const lines = insert.split('\n').filter(line => !failed(line));
  if (lines.every(line => line === '')) return '';
  return fillText(lines.join('\n'), settled);
}

/**
 * Undoes the insertion and makes it again with the uploads settled by now, as one step of the browser's history. No undo then shows
 * these placeholders again, and after a failure the text is what it was before, replaced selection included.
 * @param done called by `make` with the new insertion, or undefined when nothing was inserted or the browser's undo did something else
 */
export function replaceInsertion(
  field: HTMLTextAreaElement,
  fresh: FreshInsertion,
  settled: ReadonlyMap<string, string>,
  done: (now: FreshInsertion | undefined) => void,
): QuietChange {
  const insert = settleInsertion(fresh.insert, settled);
  const inPlace = replaceRange(
    readField(field),
    { from: fresh.from, to: fresh.from + fresh.insert.length },
    insert === '' ? fresh.textBefore.slice(fresh.from, fresh.to) : insert,
  );
  const make = (undoable: boolean): void => {
    const undone = undoable && undoInsertion(field, fresh);
    if (!undone) quietEdit(field, inPlace).make(undoable);
    else if (insert !== '') applyEdit(field, { ...inPlace, from: fresh.from, to: fresh.to });
    done(undone && insert !== '' ? { ...fresh, insert, textAfter: field.value } : undefined);
  };
  return { start: inPlace.start, end: inPlace.end, make };
}

/** Some browsers keep one history for the whole page or join steps, so the result of undo is checked and reverted if it is another text. */
function undoInsertion(field: HTMLTextAreaElement, fresh: FreshInsertion): boolean {
  document.execCommand('undo');
  if (field.value === fresh.textBefore) return true;
  if (field.value !== fresh.textAfter) document.execCommand('redo');
  replaceAll(field, fresh.textAfter);
  return false;
}
