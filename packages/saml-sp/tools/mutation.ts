import path from 'node:path';
import { type MutationPart, mutateParts } from '../../../tools/mutate-parts.ts';

// Mutation testing part by part: `node tools/mutation.ts [part…]`.
const parts: Record<string, MutationPart> = {
  signature: {
    sources: ['signature', 'signature-profile', 'canonical-form', 'canonical-text', 'library-canonicalization', 'algorithms'],
    tests: [
      'canonical-text',
      'canonicalizers',
      'rules/reference',
      'rules/transforms',
      'rules/signature-*',
      'rules/signed-content',
      'rules/hidden-signature',
      'rules/key-info',
      'rules/must-be-signed',
      'rules/prefix-list',
      'rules/duplicate-id',
      'rules/accepted',
      'metadata/wrapping-metadata',
    ],
  },
  bytes: {
    sources: ['xml', 'schema', 'foreign-types', 'protocol-message', 'instant', 'status'],
    tests: [
      'rules/plain-bytes',
      'rules/schema-order',
      'rules/size-and-depth',
      'rules/status',
      'rules/version',
      'rules/issue-instant',
      'rules/instant-format',
      'rules/identity-provider',
      'rules/destination',
      'rules/duplicate-id',
      'rules/hidden-signature',
      'rules/accepted',
      'rules/wrapping-response',
      'network-address',
      'logout/logout-re*',
    ],
  },
  assertion: {
    sources: [
      'assertion',
      'conditions',
      'subject',
      'subject-confirmation',
      'authn-statement',
      'attributes',
      'network-address',
      'person',
      'subject-id',
    ],
    tests: [
      'rules/accepted',
      'rules/audience',
      'rules/authn-statement',
      'rules/conditions',
      'rules/recipient',
      'rules/subject*',
      'rules/issue-instant',
      'rules/replay',
      'rules/facts',
      'rules/in-response-to',
      'rules/identity-provider',
      'network-address',
      'profiles/name-id',
      'profiles/person',
      'profiles/subject-id',
    ],
  },
  response: {
    sources: ['response', 'encryption', 'oaep', 'decrypted-context', 'identity-provider', 'replay', 'pending'],
    tests: [
      'rules/accepted',
      'rules/encryption',
      'rules/second-assertion',
      'rules/must-be-signed',
      'rules/in-response-to',
      'rules/unsolicited',
      'rules/replay',
      'rules/identity-provider',
      'rules/destination',
      'rules/issue-instant',
      'rules/signature-value',
      'rules/recipient',
      'bindings/artifact-refused',
      'profiles/audit',
      'metadata/idp-metadata',
      'pending',
      'replay-store',
    ],
  },
  metadata: {
    sources: ['idp-metadata', 'key-material', 'metadata-display', 'safe-endpoint'],
    tests: ['metadata/idp-metadata', 'metadata/provider-shapes', 'metadata/wrapping-metadata', 'metadata/metadata-refresh'],
  },
  sources: {
    sources: ['metadata-fetch', 'metadata-refresh', 'metadata-query', 'answer-cache', 'large-metadata'],
    tests: ['metadata/metadata-*', 'metadata/answer-cache'],
  },
  logout: {
    sources: ['logout', 'logout-message', 'soap'],
    tests: ['logout/*'],
  },
  requests: {
    sources: ['authn-request', 'sp-metadata', 'signing', 'configuration', 'shape', 'discovery-service'],
    tests: ['bindings/authn-request', 'configuration', 'metadata/sp-metadata', 'profiles/*', 'pending', 'whole-journey'],
  },
  bindings: {
    sources: ['post-binding', 'redirect-binding', 'http-message', 'incoming-request', 'return-to', 'pending-cookies', 'ecp'],
    tests: [
      'bindings/post-binding',
      'bindings/redirect-signature',
      'pending-cookies',
      'profiles/*',
      'pending',
      'whole-journey',
      'rules/unsolicited',
      'rules/plain-bytes',
    ],
  },
  artifacts: {
    sources: ['artifact', 'artifact-resolution', 'artifact-sign-in'],
    tests: ['bindings/artifact*'],
  },
  exchange: {
    sources: ['token-exchange', 'token-request', 'audit', 'errors'],
    tests: ['profiles/*', 'rules/facts', 'rules/accepted'],
  },
  service: {
    sources: ['service-provider', 'adapter', 'express', 'fastify', 'hono', 'next', 'replay-store-contract'],
    tests: ['whole-journey', 'pending*', 'replay-store', 'configuration', 'profiles/*', 'bindings/artifact', 'logout/*'],
  },
};

/** Tests that need another program or the repository around the package, or take long. */
const leftOut = [
  'bounded',
  'canonical-form',
  'documents',
  'fuzz',
  'lasso',
  'lemonldap',
  'no-side-door',
  'oracles',
  'outside-attacks',
  'public-entries',
  'readme',
  'schemas',
  'simplesamlphp',
  'two-processes',
];

const underTest = ({ sources, tests }: MutationPart): MutationPart => ({ sources, tests: tests.map(test => `test/${test}`) });

mutateParts(
  path.join(import.meta.dirname, '..'),
  Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, underTest(part)])),
  process.argv.slice(2),
  leftOut.map(name => `test/**/${name}`),
);
