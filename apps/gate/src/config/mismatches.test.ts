import { expect, test } from 'vitest';
import { ConfigError } from './config.ts';
import { exampleConfig } from './example.ts';
import { readConfig } from './read-config.ts';

const env = { GATE_KEY: 'k'.repeat(40), CORP_SECRET: 's' };
const base = () => JSON.parse(exampleConfig.replace(/^\s*\/\/.*$/gm, ''));
type Change = (config: ReturnType<typeof base>) => void;

function problemsOf(change: Change): string[] {
  const config = base();
  change(config);
  try {
    readConfig(JSON.stringify(config), env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return [...error.problems];
    throw error;
  }
}

/** Changes one setting of the example: `put('rules.0.paths', …)`. */
function put(place: string, value: unknown): Change {
  return config => {
    const names = place.split('.');
    const last = names.pop() as string;
    names.reduce((found, name) => found[name], config)[last] = value;
  };
}

function all(...changes: Change[]): Change {
  return config => {
    for (const change of changes) change(config);
  };
}

const secretWords = 'must be { "env": "NAME" } or { "file": "PATH" }: secrets are not written in this file';
const allowWords = 'must be "anyone", "signed-in", "nobody", or an object such as { "provider": "corp", "groups": ["staff"] }';
const durationWords = 'must be a number with a unit, in quotes: for example "90s", "15m", "8h" or "2d"';

// One mistake is one sentence: which setting, what is wrong, what to write. It does not make others look wrong.
test.each<[string, Change, string]>([
  ['a secret as text', put('session.keys', ['hush']), `session.keys[0]: ${secretWords}`],
  [
    'a secret from two places',
    put('providers.0.clientSecret', { env: 'A', file: 'B' }),
    `providers[0].clientSecret: ${secretWords}`,
  ],
  ['an empty secret', put('providers.0.clientSecret', {}), `providers[0].clientSecret: ${secretWords}`],
  [
    'a store that is a number',
    put('session.store', 5),
    'session.store: must be "sqlite:PATH", or { "env": "NAME" } or { "file": "PATH" } for an address with a password',
  ],
  [
    'a store from two places',
    put('session.store', { env: 'A', file: 'B' }),
    'session.store: must be "sqlite:PATH", or { "env": "NAME" } or { "file": "PATH" } for an address with a password',
  ],
  ['a duration in words', put('session.lifetime', '8 hours'), `session.lifetime: ${durationWords}`],
  ['a duration without a unit', put('session.lifetime', 3600), `session.lifetime: ${durationWords}`],
  ['a word that nobody knows', put('rules.1.allow', 'everyone'), `rules[1].allow: ${allowWords}`],
  ['a list of words', put('rules.1.allow', ['signed-in']), 'rules[1].allow[0]: must be an object in { }, not a string'],
  ['yes', put('rules.1.allow', true), `rules[1].allow: ${allowWords}`],
  [
    'a key of allow that is not known',
    put('rules.0.allow', { provider: 'corp', group: ['x'] }),
    'rules[0].allow.group: there is no such setting (did you mean groups?)',
  ],
  [
    'one group that is no list',
    put('rules.0.allow', { provider: 'corp', groups: 'staff' }),
    'rules[0].allow.groups: must be a list in [ ], not a string',
  ],
  ['groups of no provider', put('rules.0.allow', { groups: ['staff'] }), 'rules[0].allow.provider: is missing'],
  [
    'a list with one wrong entry',
    put('rules.0.allow', [{ provider: 'corp', groups: 'staff' }]),
    'rules[0].allow[0].groups: must be a list in [ ], not a string',
  ],
  ['no rule', put('rules', []), 'rules: must have at least one entry'],
  ['a method in small letters', put('rules.0.methods', ['post']), 'rules[0].methods[0]: must be in capital letters, like POST'],
  [
    'an address without a host',
    put('listen', ':4180'),
    'listen: must be an address and a port, for example 127.0.0.1:4180 or [::]:4180',
  ],
  [
    'an id in capital letters',
    put('providers.0.id', 'Corp'),
    'providers[0].id: must be 1 to 32 lower-case letters, digits and hyphens, beginning with a letter',
  ],
  [
    'two scopes in one',
    put('providers.0.scopes', ['openid email']),
    'providers[0].scopes[0]: must be one scope without spaces: write ["openid", "email"]',
  ],
  [
    'a number that is too high',
    put('providers.0.clockToleranceSeconds', 1000),
    'providers[0].clockToleranceSeconds: must be at most 300',
  ],
  [
    'a number in quotes',
    put('providers.0.clockToleranceSeconds', '30'),
    'providers[0].clockToleranceSeconds: must be a whole number, not a string',
  ],
  ['an empty name', put('providers.0.name', ''), 'providers[0].name: must not be empty'],
  ['a long name', put('providers.0.name', 'x'.repeat(61)), 'providers[0].name: must have at most 60 characters'],
  [
    'a header with an underscore',
    put('identityHeaders', { X_User: 'subject' }),
    'identityHeaders.X_User: a header name may have only letters, digits and single hyphens',
  ],
  [
    'a header with a space',
    put('rules.0.headers', { 'X User': 'subject' }),
    'rules[0].headers.X User: a header name may have only letters, digits and single hyphens',
  ],
  [
    'an upstream at the own address',
    put('upstream', 'http://127.0.0.1:4180'),
    'upstream: is where the gate itself listens: give the address of the application',
  ],
  [
    'an upstream that leads back',
    all(put('listen', '0.0.0.0:4180'), put('upstream', 'http://localhost:4180')),
    'upstream: is where the gate itself listens: give the address of the application',
  ],
  ['a time that no timer can count', put('timeouts', { idle: '30d' }), 'timeouts.idle: must be at most 24d'],
  [
    'the discovery document as the issuer',
    put('providers.0.issuer', 'https://op.example.org/v2.0/.well-known/openid-configuration'),
    'providers[0].issuer: leave out /.well-known/openid-configuration: the issuer is the "issuer" in that document',
  ],
  [
    'the shared issuer of Entra',
    put('providers.0.issuer', 'https://login.microsoftonline.com/common/v2.0'),
    'providers[0].issuer: is shared by all tenants: put your tenant ID in place of "common"',
  ],
])('%s: one sentence says what to write', (_name, change, problem) => {
  expect(problemsOf(change)).toEqual([problem]);
});

test('a file that is no object, and one that an editor of Windows saved', () => {
  expect(() => readConfig('[]', env)).toThrow(/^ {2}- the file: must be an object in \{ \}, not a list$/m);
  expect(readConfig(`\ufeff${exampleConfig}`, env).listen.port).toBe(4180);
});

test.each(['Set-Cookie', 'Location', 'Keep-Alive', 'Expect'])(
  'an identity in %s, which means something else, stops the start',
  name => {
    expect(problemsOf(put('identityHeaders', { [name]: 'subject' }))).toEqual([
      `identityHeaders.${name}: is a reserved header and cannot carry an identity`,
    ]);
  },
);

test('what refers to a provider or a rule that cannot be read is not called wrong', () => {
  const tokens = put('providers.0.accessTokens', { audience: 'notes' });
  expect(problemsOf(all(put('providers.0.claims', ['level']), tokens, put('rules.0.path', '/x')))).toEqual([
    'rules[0].path: there is no such setting (did you mean paths?)',
  ]);
  expect(problemsOf(all(put('providers.0.protocol', 'OIDC'), tokens))).toEqual(['providers[0].protocol: must be oidc or saml']);
});

test.each(['1s', '8d'])('metadata that is to be read again every %s stops the start', refresh => {
  const uni = { id: 'uni', protocol: 'saml', name: 'University', metadata: { url: 'https://idp.example.edu/metadata', refresh } };
  expect(problemsOf(config => config.providers.push(uni))).toEqual(['providers[1].metadata.refresh: must be from 10s to 7d']);
});
