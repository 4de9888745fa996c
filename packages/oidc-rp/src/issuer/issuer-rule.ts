import { OidcError } from '../errors.ts';

/** Which issuers may speak for a provider. Nearly always exactly one; Entra ID has one per tenant behind a single address. */
export interface IssuerRule {
  /** The issuer that the discovery document names. */
  documentIssuer: string;
  /** Whether a token with these claims names an accepted issuer; `tid` counts only for tenants. */
  accepts: (iss: unknown, tid: unknown) => boolean;
  /** Whether a message without a `tid`, such as a callback, names an accepted issuer. */
  acceptsBare: (iss: unknown) => boolean;
  /** Whether the issuer next to a published key (`issuer`, an Entra extension) allows the key to sign for `iss`. */
  acceptsKey: (keyIssuer: string, iss: unknown) => boolean;
}

const entraAddress = /^(https:\/\/[^/]+\/)(common|organizations)(\/v2\.0)$/;
/** Personal Microsoft accounts: a tenant of `common`, but not of `organizations`. */
const consumersTenant = '9188040d-6c67-4c5b-b112-36a304b66dad';

/**
 * The rule for an issuer: an exact match. With `entraTenants` the documents of `common` and `organizations` name the template
 * `…/{tenantid}/v2.0`; each token must then name the issuer of its own `tid`, and `tid` must be one of the tenants.
 *
 * @see https://learn.microsoft.com/entra/identity-platform/access-tokens#validate-the-issuer
 */
export function readIssuerRule(issuer: string, tenants: 'any' | readonly string[] | undefined): IssuerRule {
  const [, before, audience, after] = entraAddress.exec(issuer) ?? [];
  if (tenants === undefined) return oneIssuer(issuer);
  if (before === undefined || after === undefined) {
    throw new OidcError('OIDC_CONFIG_INVALID', {
      check: 'options.entraTenants',
      expected: 'an issuer that ends in /common/v2.0 or /organizations/v2.0',
      received: issuer,
    });
  }
  const mayCome = (tid: unknown): tid is string =>
    typeof tid === 'string' &&
    isTenantId(tid) &&
    isAmong(tid, tenants) &&
    !(audience === 'organizations' && tid === consumersTenant);
  const issuerOf = (tid: string) => `${before}${tid}${after}`;
  const tenantOf = (iss: unknown) =>
    typeof iss === 'string' && iss.startsWith(before) && iss.endsWith(after)
      ? iss.slice(before.length, -after.length)
      : undefined;
  return {
    documentIssuer: issuerOf('{tenantid}'),
    accepts: (iss, tid) => mayCome(tid) && iss === issuerOf(tid),
    acceptsBare: iss => mayCome(tenantOf(iss)),
    acceptsKey: (keyIssuer, iss) => keyIssuer.replace('{tenantid}', tenantOf(iss) ?? '') === iss,
  };
}

function oneIssuer(issuer: string): IssuerRule {
  return {
    documentIssuer: issuer,
    accepts: iss => iss === issuer,
    acceptsBare: iss => iss === issuer,
    // Only Entra's own documents define what the member means.
    acceptsKey: () => true,
  };
}

function isAmong(tid: string, tenants: 'any' | readonly string[]): boolean {
  return tenants === 'any' || tenants.includes(tid);
}

/** Whether the text is a tenant id as Entra writes it. */
export function isTenantId(value: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);
}
