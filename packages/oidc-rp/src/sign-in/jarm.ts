import type { Configuration } from '../client/configuration.ts';
import { nowSeconds } from '../environment.ts';
import { OidcError } from '../errors.ts';
import type { IncomingParameters } from '../http/incoming-request.ts';
import type { KeySource } from '../keys/jwks.ts';
import { readCompactJws, verifyJws } from '../keys/jws.ts';
import { checkAudience, checkExpiry, checkIssuer, checkNotBefore } from '../tokens/claim-checks.ts';

const subject = 'authorization_response';
const readParameters = ['code', 'state', 'iss', 'error', 'error_description'];

/**
 * Reads a signed authorization response (JWT Secured Authorization Response Mode, JARM §2.4): one parameter, a JWT from the
 * provider for this client. Other parameters beside it would not come from the provider, so none are allowed.
 */
export async function readAuthorizationResponse(
  configuration: Configuration,
  keys: KeySource,
  incoming: IncomingParameters,
): Promise<IncomingParameters> {
  const token = incoming.parameters.get('response');
  if (token === undefined || incoming.parameters.size > 1)
    throw new OidcError('OIDC_CALLBACK_MALFORMED', { check: 'callback.response', expected: 'only a signed response' });
  const rules = {
    subject,
    algorithms: configuration.authorizationResponseAlgorithms,
    types: ['jwt'],
    limits: configuration.limits,
  };
  const { payload } = await verifyJws(readCompactJws(token, rules), keys, rules);
  const context = {
    subject,
    claims: payload,
    now: nowSeconds(configuration.environment),
    toleranceSeconds: configuration.clockToleranceSeconds,
  };
  checkIssuer(context, configuration.issuerRule);
  checkAudience(context, configuration.clientId);
  checkExpiry(context);
  checkNotBefore(context);
  const parameters = new Map<string, string>();
  for (const name of readParameters) {
    const value = payload[name];
    if (typeof value === 'string') parameters.set(name, value);
    else if (value !== undefined)
      throw new OidcError('OIDC_CALLBACK_MALFORMED', { check: `${subject}.${name}`, expected: 'text' });
  }
  return { ...incoming, parameters };
}
