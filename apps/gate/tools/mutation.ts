import path from 'node:path';
import { type MutationPart, mutateParts } from '../../../tools/mutate-parts.ts';

// Mutation testing part by part: `node tools/mutation.ts [part…]`. Only tests that run in one process, without a browser or a
// server of somebody else. Databases lie in TMPDIR: a folder in memory spares the waits for a disk.
const inProcess = [
  ...['bearer/access-tokens', 'bearer/introspection', 'bearer/provider-keys', 'bearer/same-issuer'],
  ...['bridge/auth-time', 'bridge/native-origin', 'bridge/renewal', 'bridge/sign-in', 'bridge/sign-out'],
  ...['cases/requests', 'cases/sessions', 'cases/surface', 'cases/upgrades', 'faults/reasons', 'metrics'],
  ...['proxy/exchange', 'proxy/identity-token', 'proxy/long-headers', 'proxy/open-rules'],
  ...['another-account', 'claims', 'denied', 'ecp-fresh', 'help', 'kept-form', 'nested-claims', 'parallel-tabs', 'renewal'].map(
    test => `sign-in/${test}`,
  ),
  ...['replaced-session', 'saml-subject', 'sign-out-result', 'trusted-domains', 'vouching', 'way-back'].map(
    test => `sign-in/${test}`,
  ),
].map(test => `test/${test}`);

const routes = (...names: string[]): string[] => names.map(name => `routes/${name}`);

const parts: Record<string, MutationPart> = {
  model: { sources: ['model/*'], tests: ['src/model/*'] },
  answers: { sources: routes('authorize', 'pass', 'forward-auth', 'context', 'denied', 'refuse', 'facts'), tests: inProcess },
  flows: {
    sources: routes('sign-in', 'callback', 'complete-sign-in', 'sign-in-failure', 'kept-form', 'afterwards', 'sign-out'),
    tests: [...inProcess, 'src/routes/*'],
  },
  logouts: { sources: routes('logout-from-provider', 'bridge', 'ecp', 'soap-fault', 'routes'), tests: inProcess },
  sessions: { sources: ['sessions/*', 'bearer/*'], tests: [...inProcess, 'src/sessions/*', 'src/bearer/*'] },
  http: { sources: ['http/*', 'proxy/headers', 'proxy/caching'], tests: [...inProcess, 'src/http/*', 'src/proxy/*'] },
};

mutateParts(path.join(import.meta.dirname, '..'), parts, process.argv.slice(2));
