import { findSubjectId, type IdentityProvider, type NameId, SamlError, type SamlIdentity } from '@octavo/saml-sp';

/** Whom an assertion is about, at its issuer. */
export interface Subject {
  readonly name: string;
  /** No two people of the issuer share it, whichever way they are named. */
  readonly key: string;
}

/**
 * SAML2Int lets a provider name its people by an attribute alone. Its requests to sign somebody out name them by a NameID, so those do
 * not reach such a session.
 *
 * @throws SamlError `SAML_SUBJECT`, `SAML_SUBJECT_ID`
 */
export function subjectOf({ nameId, attributes }: SamlIdentity, provider: IdentityProvider): Subject {
  if (nameId !== undefined) return { name: nameId.value, key: subjectKey(nameId) };
  for (const kind of ['pairwise-id', 'subject-id'] as const) {
    const name = findSubjectId(attributes, kind, provider);
    // A NameID's key has four parts: this one is no NameID's.
    if (name !== undefined) return { name, key: JSON.stringify([kind, name]) };
  }
  throw new SamlError('SAML_SUBJECT', 'the assertion names the person neither by a NameID nor by a pairwise-id or subject-id');
}

const unspecified = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified';

/** A text for exactly what `isSameNameId` compares. */
export function subjectKey({ value, format, nameQualifier, spNameQualifier }: NameId): string {
  return JSON.stringify([value, format ?? unspecified, nameQualifier ?? null, spNameQualifier ?? null]);
}
