/**
 * Embeddings, overrides and isolates of direction (UAX #9 §2). One that is not closed also reorders text after the title: in a tab, in
 * another site's card, in a list. Directional marks (U+061C, U+200E, U+200F) reach no further, and names need them.
 */
const directionControls = /[\u202a-\u202e\u2066-\u2069]/g;
const spaces = /[\s\p{Cc}]+/gu;

/** For what is shown outside a text, or without its end. */
export const withoutDirectionControls = (text: string): string => text.replace(directionControls, '');

/** One line, in one direction: runs of white space and control characters become one space, direction controls are removed. */
export function tidyTitle(text: string): string {
  return withoutDirectionControls(text).replace(spaces, ' ').trim();
}

export const untitledNotebook = 'Untitled notebook';

/** A notebook without a title of its own takes the first heading of its first page (spec 1 §1). */
export const notebookTitle = (given: string, firstPage: { readonly heading: string } | undefined): string =>
  tidyTitle(given) || firstPage?.heading || untitledNotebook;

/** The description of a text without the title that the text begins with: where both are shown, nobody needs to read it twice. */
export function afterTitle(
  description: string,
  { title, titleInText }: { readonly title: string; readonly titleInText?: boolean | undefined },
): string {
  const rest = titleInText && description.startsWith(title) ? description.slice(title.length) : undefined;
  return rest === '' || rest?.startsWith(' ') ? rest.trim() : description;
}
