import path from 'node:path';
import { mutateParts } from '../../../tools/mutate-parts.ts';

// Mutation testing part by part: `node tools/mutation.ts [part…]`. Every part meets every quick test of the rules.
const parts: Record<string, string[]> = {
  requests: ['authorization-request', 'resource', 'client-authentication', 'pkce', 'token-request', 'dpop', 'fapi', 'jarm'],
  http: ['http', 'errors', 'endpoint-url', 'redirect-uri', 'provider-metadata', 'private-address', 'environment'],
  json: ['json', 'escaped-json', 'base64url'],
  tokens: ['jws', 'jwe', 'algorithms', 'node-signature'],
  claims: ['claim-checks', 'id-token', 'issuer-rule', 'token-hash', 'node-crypto', 'sign-in'],
  refresh: ['refresh', 'refreshable', 'refresh-flights'],
  pending: ['pending-sign-in', 'pending-cookies', 'replay', 'callback', 'incoming-request', 'same-text', 'return-to'],
  logout: [
    'backchannel-logout',
    'frontchannel-logout',
    'rp-logout',
    'logout-coverage',
    'logout-tombstones',
    'third-party-sign-in',
    'userinfo',
  ],
  keys: ['jwks', 'jwk', 'cached-document', 'cache-control', 'token-bucket', 'provider', 'discovery'],
  grants: ['device-sign-in', 'grants', 'introspection', 'step-up', 'revocation', 'wait'],
  shape: ['shape', 'options', 'limits', 'key-shapes', 'configuration'],
  service: ['relying-party', 'browser-sign-in', 'node-request', 'express', 'fastify', 'hono', 'next'],
  native: ['native-loopback', 'loopback-listener', 'open-browser'],
};

const tests = ['rules/*', 'examples', 'native-*', 'open-browser'].map(test => `test/${test}`);

/** Tests that take a second or more, or start programs, and the parts that they are for. */
const slow: Record<string, string[]> = {
  'rules/signature-paths': ['tokens', 'keys'],
  'rules/jwks-flood': ['keys'],
  'rules/jwks-age': ['keys'],
  'rules/device-sign-in': ['grants'],
  examples: ['service'],
  'native-limits': ['native'],
  'native-loopback': ['native'],
  'open-browser': ['native'],
};

const wanted = process.argv.slice(2);
for (const name of wanted.length > 0 ? wanted : Object.keys(parts)) {
  const leftOut = Object.entries(slow).flatMap(([test, needed]) => (needed.includes(name) ? [] : [`test/${test}`]));
  mutateParts(
    path.join(import.meta.dirname, '..'),
    Object.fromEntries(Object.entries(parts).map(([part, sources]) => [part, { sources, tests }])),
    [name],
    leftOut,
  );
}
