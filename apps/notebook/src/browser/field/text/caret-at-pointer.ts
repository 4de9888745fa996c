import { readField } from './text-edit.ts';

interface CaretFinder {
  caretPositionFromPoint?(x: number, y: number): { offsetNode: Node; offset: number } | null;
}

/** Where the pointer let go; browsers that do not say keep the caret where it was. */
export function caretAtPointer(field: HTMLTextAreaElement, { clientX, clientY }: DragEvent): number {
  const found = (document as CaretFinder).caretPositionFromPoint?.(clientX, clientY);
  return found?.offsetNode === field ? found.offset : readField(field).end;
}
