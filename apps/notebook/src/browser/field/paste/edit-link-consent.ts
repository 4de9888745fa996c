const consented = new WeakSet<HTMLTextAreaElement>();

/** Whoever was asked and chose to keep an edit link in a text is not asked about it again. */
export function consentToEditLinks(field: HTMLTextAreaElement): void {
  consented.add(field);
}

export function hasConsented(field: HTMLTextAreaElement): boolean {
  return consented.has(field);
}
