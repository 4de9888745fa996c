/**
 * Embeddings, overrides and isolates of direction (UAX #9 §2). One that is not ended turns round what stands after the title too: in a
 * tab, in a card of another site, in a list. Marks of direction (U+061C, U+200E, U+200F) reach no further, and names need them.
 */
const directionControls = /[\u202a-\u202e\u2066-\u2069]/g;
const spaces = /[\s\p{Cc}]+/gu;

/** One line, in one direction: runs of white space and control characters become one space, controls of direction go. */
export function tidyTitle(text: string): string {
  return text.replace(directionControls, '').replace(spaces, ' ').trim();
}

export const untitledNotebook = 'Untitled notebook';
