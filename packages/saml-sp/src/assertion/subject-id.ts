import { quote, SamlError } from '../errors.ts';
import type { IdentityProvider } from '../idp/identity-provider.ts';
import { holding, listOf, oneOf, readShape, text } from '../values/shape.ts';
import { attributeValues, type SamlAttribute } from './attributes.ts';

const names = {
  'subject-id': 'urn:oasis:names:tc:SAML:attribute:subject-id',
  'pairwise-id': 'urn:oasis:names:tc:SAML:attribute:pairwise-id',
} as const;

const kindReader = oneOf('subject-id', 'pairwise-id');
const providerReader = holding({ scopes: listOf(text(), 'strings') });

/** saml-subject-id-attr-v1.0 3.3: an identifier and a scope of at most 127 characters each. */
const pattern = /^([A-Za-z0-9][A-Za-z0-9=-]{0,126})@([A-Za-z0-9][A-Za-z0-9.-]{0,126})$/;

/**
 * The general-purpose or pairwise subject identifier, in lower case (it is compared case-insensitively). The scope must be listed
 * in the provider's metadata: no provider speaks for another's people (SDP-SP14 to 17).
 * @returns undefined when the provider sent none
 * @example findSubjectId(identity.attributes, 'pairwise-id', await sp.getIdentityProvider(identity.issuer))
 */
export function findSubjectId(
  attributes: readonly SamlAttribute[],
  kind: keyof typeof names,
  provider: IdentityProvider,
): string | undefined {
  readShape(kind, 'kind', kindReader);
  readShape(provider, 'provider', providerReader);
  const [value, second] = attributeValues(attributes, names[kind]);
  if (value === undefined) return undefined;
  const scope = pattern.exec(value)?.[2];
  if (scope === undefined || second !== undefined)
    throw new SamlError('SAML_SUBJECT_ID', `${quote(value)} is not a valid ${kind}`);
  if (!provider.scopes.some(one => one.toLowerCase() === scope.toLowerCase())) {
    throw new SamlError('SAML_SUBJECT_ID', `the scope ${quote(scope)} does not belong to its provider`);
  }
  return value.toLowerCase();
}
