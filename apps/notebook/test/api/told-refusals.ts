/** What a writer is told once a limit of ten minutes is used up. */
export const waits = 'rate_limited: Please try again in 10 minutes.';

export const tooLarge = (bytes: string, hidden = ''): string =>
  `notebook_too_large: Its pages may hold ${bytes} of text together.${hidden} Shorten or delete pages, or continue in a new notebook.`;

export const hiddenParts = ' The parts of imported files that only an export shows count too.';
