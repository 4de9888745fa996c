import { OidcError } from '../errors.ts';
import type { ClientAuthentication } from './client-authentication.ts';

/** The parts of a configuration that the profile restricts. */
export interface FapiFacts {
  issuer: string;
  clientAuthentication: ClientAuthentication;
  idTokenAlgorithms: readonly string[];
  userInfoAlgorithms: readonly string[] | undefined;
  authorizationResponseAlgorithms: readonly string[];
  dpop: { algorithm: string } | undefined;
  responseMode: string;
}

const algorithms: readonly string[] = ['PS256', 'ES256', 'EdDSA', 'Ed25519'];

/**
 * Refuses what the FAPI 2.0 Security Profile forbids a client. Its demands on every request, pushed parameters and `iss` in the
 * answer, are enabled by the same option.
 */
export function requireFapi2(configuration: FapiFacts): void {
  const { clientAuthentication, idTokenAlgorithms, userInfoAlgorithms = [], dpop, responseMode } = configuration;
  const demands: [boolean, string, string][] = [
    [clientAuthentication.method === 'private_key_jwt', 'clientAuthentication.method', 'private_key_jwt'],
    [
      clientAuthentication.method === 'private_key_jwt' && algorithms.includes(clientAuthentication.algorithm),
      'clientAuthentication.algorithm',
      algorithms.join(', '),
    ],
    [
      !('audience' in clientAuthentication) || [undefined, configuration.issuer].includes(clientAuthentication.audience),
      'clientAuthentication.audience',
      'the issuer',
    ],
    [dpop !== undefined, 'dpop', 'a key, so that access tokens are sender-constrained'],
    [dpop === undefined || algorithms.includes(dpop.algorithm), 'dpop.algorithm', algorithms.join(', ')],
    [idTokenAlgorithms.every(name => algorithms.includes(name)), 'idTokenAlgorithms', algorithms.join(', ')],
    [userInfoAlgorithms.every(name => algorithms.includes(name)), 'userInfoAlgorithms', algorithms.join(', ')],
    [
      !responseMode.endsWith('.jwt') || configuration.authorizationResponseAlgorithms.every(name => algorithms.includes(name)),
      'authorizationResponseAlgorithms',
      algorithms.join(', '),
    ],
  ];
  const unmet = demands.find(([met]) => !met);
  if (unmet === undefined) return;
  const [, option, expected] = unmet;
  throw new OidcError('OIDC_CONFIG_INVALID', { check: `options.${option}`, expected: `${expected} (FAPI 2.0)` });
}
