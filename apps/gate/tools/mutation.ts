import path from 'node:path';
import { type MutationPart, mutateParts } from '../../../tools/mutate-parts.ts';

// Mutation testing part by part: `node tools/mutation.ts [part…]`. Only tests that run in one process, without a browser or a
// server of somebody else. Databases lie in TMPDIR: a folder in memory spares the waits for a disk.
const inProcess = (...tests: string[]): string[] => tests.map(test => `test/${test}`);
const cases = inProcess('cases/requests', 'cases/sessions', 'cases/surface', 'cases/upgrades', 'metrics');
const bridged = inProcess('bridge/sign-in', 'bridge/sign-out', 'bridge/auth-time');

const routes = (...names: string[]): string[] => names.map(name => `routes/${name}`);

const parts: Record<string, MutationPart> = {
  model: { sources: ['model/*'], tests: ['src/model/*'] },
  answers: {
    sources: routes('authorize', 'pass', 'forward-auth', 'context', 'denied', 'refuse', 'facts'),
    tests: [
      ...cases,
      'src/routes/*',
      ...inProcess('sign-in/denied', 'sign-in/help', 'sign-in/way-back', 'sign-in/form-origin', 'sign-in/parallel-tabs'),
      ...inProcess('proxy/open-rules', 'proxy/identity-token', 'proxy/long-headers', 'proxy/leaving', 'sign-in/ecp-fresh'),
      ...inProcess('bearer/access-tokens', 'bearer/same-issuer', 'sign-in/replaced-session'),
    ],
  },
  flows: {
    sources: routes('sign-in', 'callback', 'complete-sign-in', 'sign-in-failure', 'kept-form', 'afterwards', 'sign-out'),
    tests: [
      ...inProcess('cases/sessions', 'cases/surface', 'metrics', 'faults/reasons'),
      'src/routes/*',
      ...[
        'another-account',
        'ecp-fresh',
        'form-origin',
        'help',
        'kept-form',
        'parallel-tabs',
        'replaced-session',
        'saml-subject',
      ].map(test => `test/sign-in/${test}`),
      ...['sign-out-result', 'vouching', 'way-back'].map(test => `test/sign-in/${test}`),
      ...bridged,
    ],
  },
  logouts: {
    sources: routes('logout-from-provider', 'bridge', 'ecp', 'soap-fault', 'routes'),
    tests: [
      ...inProcess('cases/sessions', 'cases/surface', 'faults/reasons', 'faults/provider-logouts', 'metrics'),
      'src/routes/*',
      ...inProcess(
        'sign-in/ecp-fresh',
        'sign-in/replaced-session',
        'sign-in/saml-subject',
        'bridge/renewal',
        'bridge/native-origin',
      ),
      ...bridged,
    ],
  },
  sessions: {
    sources: ['sessions/*', 'bearer/*'],
    tests: [
      'src/sessions/*',
      'src/bearer/*',
      ...inProcess(
        'cases/sessions',
        'proxy/open-rules',
        'sign-in/renewal',
        'sign-in/replaced-session',
        'sign-in/trusted-domains',
      ),
      ...inProcess(
        'bearer/access-tokens',
        'bearer/introspection',
        'bearer/same-issuer',
        'sign-in/kept-form',
        'sign-in/parallel-tabs',
      ),
    ],
  },
  http: {
    sources: ['http/*', 'proxy/headers', 'proxy/caching'],
    tests: ['src/http/*', 'src/proxy/*', ...cases],
  },
};

mutateParts(path.join(import.meta.dirname, '..'), parts, process.argv.slice(2));
