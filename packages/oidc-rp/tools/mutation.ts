import path from 'node:path';
import { mutateParts } from '../../../tools/mutate-parts.ts';

// Mutation testing part by part: `node tools/mutation.ts [part…]`. Every part meets every quick test of the rules.
const parts: Record<string, string[]> = {
  requests: [
    'sign-in/authorization-request',
    'client/resource',
    'client/client-authentication',
    'sign-in/pkce',
    'tokens/token-request',
    'client/dpop',
    'client/fapi',
    'sign-in/jarm',
  ],
  http: [
    'http/http',
    'errors',
    'http/endpoint-url',
    'client/redirect-uri',
    'issuer/provider-metadata',
    'http/private-address',
    'environment',
  ],
  json: ['values/json', 'values/escaped-json', 'values/base64url'],
  tokens: ['keys/jws', 'keys/jwe', 'keys/algorithms', 'keys/node-signature'],
  claims: [
    'tokens/claim-checks',
    'tokens/id-token',
    'issuer/issuer-rule',
    'keys/token-hash',
    'keys/node-crypto',
    'sign-in/sign-in',
  ],
  refresh: ['refresh/refresh', 'refresh/refreshable', 'refresh/refresh-flights'],
  pending: [
    'sign-in/pending-sign-in',
    'sign-in/code-grant',
    'sign-in/pending-cookies',
    'client/replay',
    'sign-in/callback',
    'http/incoming-request',
    'values/same-text',
    'http/return-to',
  ],
  logout: [
    'logout/backchannel-logout',
    'logout/frontchannel-logout',
    'logout/rp-logout',
    'logout/logout-coverage',
    'logout/logout-tombstones',
    'sign-in/third-party-sign-in',
    'tokens/userinfo',
  ],
  keys: [
    'keys/jwks',
    'keys/jwk',
    'http/cached-document',
    'http/cache-control',
    'http/token-bucket',
    'provider/provider',
    'provider/discovery',
  ],
  grants: [
    'sign-in/device-sign-in',
    'sign-in/grants',
    'tokens/introspection',
    'sign-in/step-up',
    'tokens/revocation',
    'sign-in/wait',
  ],
  shape: ['values/shape', 'client/options', 'limits', 'keys/key-shapes', 'client/configuration'],
  service: ['relying-party', 'browser-sign-in', 'frameworks/node-request', 'express', 'fastify', 'hono', 'next'],
  native: ['native-app/native-loopback', 'native-app/loopback-listener', 'native-app/open-browser'],
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
