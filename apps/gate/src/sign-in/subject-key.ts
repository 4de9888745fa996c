const unspecified = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified';

/** The name of a person in SAML. */
interface NameId {
  readonly value: string;
  readonly format: string | undefined;
  readonly nameQualifier: string | undefined;
  readonly spNameQualifier: string | undefined;
}

/** A text that is equal for two NameIDs exactly when they name the same person (`isSameNameId` of `@octavo/saml-sp`). */
export function subjectKey({ value, format, nameQualifier, spNameQualifier }: NameId): string {
  return JSON.stringify([value, format ?? unspecified, nameQualifier ?? null, spNameQualifier ?? null]);
}
