const consented = new WeakSet<HTMLTextAreaElement>();

/** Remembers that the person chose to keep an edit link in this field, so that no warning follows. */
export function consentToEditLinks(field: HTMLTextAreaElement): void {
  consented.add(field);
}

export function hasConsented(field: HTMLTextAreaElement): boolean {
  return consented.has(field);
}
