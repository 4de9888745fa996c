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
      'pending',
      'replay-store',
    ],
  },
  metadata: {
    sources: ['idp-metadata', 'key-material', 'metadata-display', 'safe-endpoint'],
    tests: ['metadata/idp-metadata', 'metadata/provider-shapes', 'metadata/wrapping-metadata'],
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
    tests: ['bindings/authn-request', 'configuration', 'metadata/sp-metadata', 'profiles/discovery'],
  },
  bindings: {
    sources: ['post-binding', 'redirect-binding', 'http-message', 'incoming-request', 'return-to', 'pending-cookies', 'ecp'],
    tests: ['bindings/post-binding', 'bindings/redirect-signature', 'pending-cookies', 'profiles/ecp'],
  },
  artifacts: {
    sources: ['artifact', 'artifact-resolution', 'artifact-sign-in'],
    tests: ['bindings/artifact*'],
  },
  exchange: {
    sources: ['token-exchange', 'token-request', 'audit', 'errors'],
    tests: ['profiles/token-*', 'profiles/audit'],
  },
};

const underTest = ({ sources, tests }: MutationPart): MutationPart => ({ sources, tests: tests.map(test => `test/${test}`) });

mutateParts(
  path.join(import.meta.dirname, '..'),
  Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, underTest(part)])),
  process.argv.slice(2),
);
