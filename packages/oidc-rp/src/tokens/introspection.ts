import type { Configuration } from '../client/configuration.ts';
import { nowSeconds } from '../environment.ts';
import { OidcError } from '../errors.ts';
import { readJsonAnswer } from '../http/http.ts';
import { postAsClient } from './token-request.ts';

/** The provider's answer about a token (RFC 7662 §2.2). Unknown members are kept. */
export type Introspection =
  | { active: false }
  | {
      active: true;
      scope?: string;
      client_id?: string;
      username?: string;
      token_type?: string;
      /** Seconds since 1970. */
      exp?: number;
      iat?: number;
      nbf?: number;
      sub?: string;
      aud?: string | string[];
      iss?: string;
      jti?: string;
      [member: string]: unknown;
    };

/**
 * Asks the provider whether a token is valid now (RFC 7662). About an inactive token, nothing else is returned. A token that has
 * expired by its own `exp` is inactive, and an answer that names another issuer is an error, whatever `active` says.
 *
 * @throws {@link OidcError} `OIDC_INTROSPECTION`, `OIDC_TOKEN_ERROR`, `OIDC_HTTP_…`
 */
export async function introspectToken(
  configuration: Configuration,
  endpoint: URL,
  token: string,
  hint?: 'access_token' | 'refresh_token',
): Promise<Introspection> {
  const parameters: Record<string, string> = { token, ...(hint === undefined ? {} : { token_type_hint: hint }) };
  const answer = readJsonAnswer(await postAsClient(configuration, endpoint, 'introspection', parameters), 'introspection');
  const { active, exp, iss } = answer;
  if (typeof active !== 'boolean')
    throw new OidcError('OIDC_INTROSPECTION', { check: 'introspection.active', expected: 'true or false', received: active });
  if (!active) return { active };
  if (exp !== undefined && (typeof exp !== 'number' || !Number.isFinite(exp)))
    throw new OidcError('OIDC_INTROSPECTION', { check: 'introspection.exp', expected: 'seconds since 1970', received: exp });
  if (iss !== undefined && !configuration.issuerRule.acceptsBare(iss))
    throw new OidcError('OIDC_INTROSPECTION', { check: 'introspection.iss', expected: configuration.issuer, received: iss });
  const ended = typeof exp === 'number' && nowSeconds(configuration.environment) >= exp + configuration.clockToleranceSeconds;
  return ended ? { active: false } : ({ ...answer, active } as Introspection);
}
