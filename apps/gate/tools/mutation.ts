import path from 'node:path';
import { type MutationPart, mutateParts } from '../../../tools/mutate-parts.ts';

// Mutation testing part by part: `node tools/mutation.ts [part…]`. Only tests that run in one process, without a browser or
// another server. Most files start one gate and ask it all they want to know, so that a change that survives costs
// milliseconds. Databases lie in TMPDIR: a folder in memory spares the waits for a disk.
const tests = (folder: string, ...names: string[]): string[] => names.map(name => `test/${folder}/${name}`);
const routes = (...names: string[]): string[] => names.map(name => `routes/${name}`);

const parts: Record<string, MutationPart> = {
  model: { sources: ['model/*'], tests: ['src/model/*'] },
  answers: {
    sources: routes('authorize', 'pass', 'forward-auth', 'context', 'denied', 'refuse', 'facts'),
    tests: [
      ...tests('cases', 'forward-auth', 'live-sessions', 'refusals', 'requests', 'surface', 'upgrades'),
      ...tests('sign-in', 'coming-back', 'denied', 'ecp-fresh', 'help', 'kept-form', 'pages', 'parallel-tabs', 'saml-pages'),
      ...tests('sign-in', 'sign-out-pages', 'way-back'),
      ...tests('proxy', 'identity-token', 'leaving', 'long-headers', 'open-rules'),
      ...tests('bearer', 'access-tokens', 'same-issuer'),
      ...tests('bridge', 'requests'),
      ...tests('faults', 'reasons'),
    ],
  },
  flows: {
    sources: routes(
      'sign-in',
      'callback',
      'complete-sign-in',
      'sign-in-failure',
      'kept-form',
      'afterwards',
      'sign-out',
      'way-back',
      'removed-provider',
    ),
    tests: [
      'src/routes/*',
      ...tests('sign-in', 'coming-back', 'ecp-fresh', 'form-from-elsewhere', 'help', 'kept-form', 'logout-from-provider'),
      ...tests(
        'sign-in',
        'late-return',
        'pages',
        'parallel-tabs',
        'replaced-session',
        'saml-pages',
        'sign-out-pages',
        'sign-out-result',
        'token-revocation',
        'way-back',
      ),
      ...tests('cases', 'refusals'),
      ...tests('faults', 'provider-logouts', 'reasons', 'silent-provider'),
      ...tests('proxy', 'open-rules'),
      ...tests('bridge', 'sign-out'),
    ],
  },
  logouts: {
    sources: routes('logout-from-provider', 'bridge', 'ecp', 'soap-fault', 'routes'),
    tests: [
      ...tests('sign-in', 'ecp-fresh', 'logout-from-provider', 'replaced-session', 'saml-pages', 'token-revocation'),
      ...tests('cases', 'forward-auth', 'refusals'),
      ...tests('faults', 'metadata-changes', 'metadata-out-of-reach', 'provider-logouts'),
      ...tests('bridge', 'auth-time', 'front-channel', 'requests', 'saml-logout', 'sign-in', 'sign-out'),
      'src/routes/*',
    ],
  },
  sessions: { sources: ['sessions/*', 'bearer/*'], tests: ['src/sessions/*', 'src/bearer/*'] },
  http: { sources: ['http/*'], tests: ['src/http/*', ...tests('proxy', 'stopping')] },
  // What a header is, is looked up once for a process. Tables and regular expressions are changed, too.
  passing: {
    sources: ['proxy/headers', 'proxy/caching'],
    tests: ['src/proxy/headers', 'src/proxy/caching'],
    fresh: true,
  },
};

mutateParts(path.join(import.meta.dirname, '..'), parts, process.argv.slice(2));
