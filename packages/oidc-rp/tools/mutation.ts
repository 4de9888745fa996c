import path from 'node:path';
import { type MutationPart, mutateParts } from '../../../tools/mutate-parts.ts';

// Mutation testing part by part: `node tools/mutation.ts [part…]`.
const parts: Record<string, MutationPart> = {
  shape: {
    sources: ['shape', 'options', 'limits', 'key-shapes', 'configuration'],
    tests: ['options-*', 'requests-validated', 'configuration', 'algorithm-confusion', 'redirect-uri', 'fapi2'],
  },
  pending: {
    sources: ['pending-sign-in', 'pending-cookies', 'replay', 'callback', 'incoming-request', 'same-text', 'return-to'],
    tests: ['pending-*', 'replay-*', 'fapi2', 'callback-*', 'requests-validated', 'backchannel-replay', 'return-to', 'code-flow'],
  },
  refresh: {
    sources: ['refresh', 'refreshable', 'refresh-flights'],
    tests: ['refresh-*', 'requests-validated', 'entra-tenants'],
  },
  claims: {
    sources: ['claim-checks', 'id-token', 'issuer-rule', 'token-hash', 'node-crypto', 'sign-in'],
    tests: ['id-token-*', 'entra-tenants', 'provider-shapes', 'identity', 'code-flow'],
  },
  tokens: {
    sources: ['json', 'escaped-json', 'base64url', 'jws', 'jwe', 'algorithms', 'node-signature'],
    tests: [
      'token-*',
      'engine-*',
      'base64url-*',
      'alg-*',
      'algorithm-*',
      'header-*',
      'compact-form',
      'jwe-*',
      'signature-*',
      'kid-*',
      'key-*',
      'options-validated',
    ],
  },
  keys: {
    sources: ['jwks', 'jwk', 'cached-document', 'cache-control', 'token-bucket', 'provider', 'discovery'],
    tests: ['jwks-*', 'key-*', 'kid-*', 'discovery*', 'entra-tenants', 'alg-*', 'algorithm-*'],
  },
  requests: {
    sources: ['authorization-request', 'resource', 'client-authentication', 'pkce', 'token-request', 'dpop', 'fapi', 'jarm'],
    tests: [
      'authorization-request',
      'requests-validated',
      'client-authentication',
      'pkce',
      'token-*',
      'provider-shapes',
      'dpop',
      'fapi2',
      'pushed-request',
      'signed-response',
      'refresh-failure',
      'options-validated',
    ],
  },
  grants: {
    sources: ['device-sign-in', 'grants', 'introspection', 'step-up', 'revocation', 'wait'],
    tests: ['device-sign-in', 'grants', 'grants-limits', 'introspection', 'step-up', 'revocation'],
  },
  logout: {
    sources: [
      'backchannel-logout',
      'frontchannel-logout',
      'rp-logout',
      'logout-coverage',
      'logout-tombstones',
      'third-party-sign-in',
      'userinfo',
    ],
    tests: [
      'backchannel-*',
      'frontchannel-*',
      'rp-logout',
      'logout-*',
      'third-party-sign-in',
      'userinfo*',
      'replay-store-outage',
      'jwe-confusion',
    ],
  },
  http: {
    sources: ['http', 'errors', 'endpoint-url', 'redirect-uri', 'provider-metadata', 'private-address', 'environment'],
    tests: [
      'discovery*',
      'errors',
      'token-error',
      'redirect-uri',
      'provider-shapes',
      'replay-store-outage',
      'refresh-failure',
      'configuration',
      'http-limits',
    ],
  },
};

const rulesOf = ({ sources, tests }: MutationPart): MutationPart => ({
  sources,
  tests: [...tests, 'boundaries'].map(test => `rules/${test}`),
});

mutateParts(
  path.join(import.meta.dirname, '..'),
  Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, rulesOf(part)])),
  process.argv.slice(2),
);
