import { readField } from './text-edit.ts';

interface CaretFinder {
  caretPositionFromPoint?(x: number, y: number): { offsetNode: Node; offset: number } | null;
}

/** Where the pointer was released; the end of the selection in browsers that do not say. */
export function caretAtPointer(field: HTMLTextAreaElement, { clientX, clientY }: DragEvent): number {
  const found = (document as CaretFinder).caretPositionFromPoint?.(clientX, clientY);
  return found?.offsetNode === field ? found.offset : readField(field).end;
}
