import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConfigError } from './config.ts';
import { exampleConfig } from './example.ts';
import { explain } from './explain.ts';
import { readConfig } from './read-config.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
const env = { GATE_KEY: 'k'.repeat(40), CORP_SECRET: 's', OTHER: 'o'.repeat(40), BRIDGE_KEY: pem };
const base = () => JSON.parse(exampleConfig.replace(/^\s*\/\/.*$/gm, ''));

function problemsOf(change: (config: ReturnType<typeof base>) => void, more: Record<string, string | undefined> = {}): string[] {
  const config = base();
  change(config);
  try {
    readConfig(JSON.stringify(config), { ...env, ...more });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return [...error.problems];
    throw error;
  }
}

type Change = Parameters<typeof problemsOf>[0];

/** Changes a whole configuration: `put('rules.0.paths', …)`; undefined removes the key. */
function put(place: string, value: unknown): Change {
  return config => {
    const names = place.split('.');
    const last = names.pop() as string;
    const holder = names.reduce((found, name) => found[name], config);
    holder[last] = value;
  };
}

function push(place: string, value: unknown): Change {
  return config => {
    place
      .split('.')
      .reduce((found, name) => found[name], config)
      .push(value);
  };
}

function all(...changes: Change[]): Change {
  return config => {
    for (const change of changes) change(config);
  };
}

test('an address in a rule counts however it is written there', () => {
  const config = base();
  config.rules = [{ paths: ['/**'], allow: { provider: 'corp', emails: ['Ada.L@Example.org'] } }];
  const read = readConfig(JSON.stringify(config), env);
  expect(explain('/x as ada.l@example.org from corp', read)).toContain('allowed by rule 1');
  expect(explain('/x as adal@example.org from corp', read)).toContain('denied by rule 1');
});

describe('the configuration', () => {
  test('the example of a first run is one', () => {
    const config = readConfig(exampleConfig, env);
    expect(config).toMatchObject({
      listen: { host: '127.0.0.1', port: 4180 },
      publicUrl: 'https://notes.example.org',
      session: { lifetimeSeconds: 28_800, idleSeconds: 3600 },
      isHttps: true,
    });
    expect(config.rules.map(rule => rule.number)).toEqual([1, 2, 3]);
  });

  test('that of the contract is one', () => {
    const config = base();
    config.providers[0] = { ...config.providers[0], scopes: ['openid', 'email', 'profile'], idTokenAlgorithms: ['RS256'] };
    config.providers.push({
      id: 'uni',
      protocol: 'saml',
      name: 'University',
      metadata: { url: 'https://idp.example.edu/metadata' },
      wantAssertionsSigned: true,
    });
    expect(readConfig(JSON.stringify(config), env).providers.map(provider => provider.id)).toEqual(['corp', 'uni']);
  });

  const cases: [string, Change, RegExp][] = [
    ['an unknown key', put('sesion', {}), /^sesion: there is no such setting \(did you mean session\?\)$/],
    [
      'an unknown key of a provider',
      put('providers.0.clientID', 'x'),
      /^providers\[0\]\.clientID: there is no such setting \(did you mean clientId\?\)$/,
    ],
    ['an unknown key of a rule', put('rules.0.group', ['x']), /^rules\[0\]\.group: there is no such setting$/],
    [
      'a key of the other protocol',
      put('providers.0.metadata', { url: 'https://x' }),
      /^providers\[0\]\.metadata: there is no such setting$/,
    ],
    ['a missing key', put('publicUrl', undefined), /^publicUrl: is missing$/],
    [
      'a secret in the file',
      put('providers.0.clientSecret', 'hush'),
      /^providers\[0\]\.clientSecret: must be \{ "env": "NAME" \} or \{ "file": "PATH" \}: secrets are not written in this file$/,
    ],
    ['a short key', put('session.keys', [{ env: 'CORP_SECRET' }]), /^session\.keys\[0\]: must have at least 32 characters$/],
    ['a variable that is not set', put('session.keys', [{ env: 'NOPE' }]), /NOPE is not set/],
    ['a file that is not there', put('session.keys', [{ file: '/nowhere/key' }]), /cannot be read: ENOENT/],
    ['the same key twice', push('session.keys', { env: 'GATE_KEY' }), /duplicate key/],
    ['plain http in public', put('publicUrl', 'http://notes.example.org'), /must be https/],
    ['a path in publicUrl', put('publicUrl', 'https://notes.example.org/app'), /must be an origin/],
    [
      'an upstream that is the gate',
      all(put('publicUrl', 'http://127.0.0.1:4180'), put('upstream', 'http://127.0.0.1:4180')),
      /is the gate itself/,
    ],
    ['an upstream with a path', put('upstream', 'http://127.0.0.1:3000/app'), /must be an origin/],
    ['everybody as a trusted proxy', put('trustedProxies', ['0.0.0.0/0']), /covers every address/],
    ['no address', put('trustedProxies', ['localhost']), /neither an IP address nor a CIDR range/],
    ['an idle time that never counts', put('session.idle', '9h'), /longer than session.lifetime/],
    ['a duration without unit', put('session.idle', '60'), /session\.idle/],
    ['a password in the store address', put('session.store', 'postgres://gate:hush@db/gate'), /contains a password/],
    ['a rule for no provider', put('rules.0.allow', { provider: 'nope', groups: ['x'] }), /there is no provider "nope"/],
    ['groups without a provider', put('rules.0.allow', { groups: ['x'] }), /rules\[0\]\.allow/],
    ['a rule that is never reached', push('rules', { paths: ['/new'], allow: 'nobody' }), /is never reached: rule 2 matches all/],
    [
      'a claim that is not kept',
      put('rules.0.allow', { provider: 'corp', claims: { level: ['1'] } }),
      /^rules\[0\]\.allow\.claims\.level: the provider corp is not configured to keep this claim/,
    ],
    ['tokens for anyone', put('rules.2.accessTokens', [{ provider: 'corp' }]), /has no effect: the rule allows anyone/],
    ['tokens of a provider without', put('rules.0.accessTokens', [{ provider: 'corp' }]), /has no accessTokens/],
    [
      'tokens that no rule accepts',
      put('providers.0.accessTokens', { audience: 'notes' }),
      /^providers\[0\]\.accessTokens: has no effect: no rule accepts them/,
    ],
    [
      'a claim that nothing asks for',
      put('providers.0.claims', ['level']),
      /^providers\[0\]\.claims\[0\]: has no effect: no rule and no application asks for level$/,
    ],
    [
      'timeouts of no upstream',
      all(put('upstream', undefined), put('timeouts', { response: '30s' })),
      /^timeouts: has no effect without upstream$/,
    ],
    [
      'neither an upstream nor a proxy that may ask',
      all(put('upstream', undefined), put('trustedProxies', [])),
      /^trustedProxies: is required without upstream/,
    ],
    ['a pattern that is none', put('rules.0.paths', ['api/*']), /must start with a slash/],
    ['a domain that is none', put('rules.0.allow', { provider: 'corp', emailDomains: ['@example.org'] }), /is not a domain/],
    ['two providers of one name', push('providers', { ...base().providers[0], clientId: 'other' }), /duplicate corp/],
    ['a provider that is called like a page', put('providers.0.id', 'me'), /"me" is reserved: it is a path of the gate/],
    ['an algorithm that is none', put('providers.0.idTokenAlgorithms', ['none']), /idTokenAlgorithms/],
    [
      'a secret that is not used',
      put('providers.0.clientAuthentication', 'none'),
      /has no effect with clientAuthentication none/,
    ],
    ['a header with a meaning of its own', put('identityHeaders', { Host: 'email' }), /is a reserved header/],
    [
      'two names that are one',
      put('identityHeaders', { 'X-User': 'email', 'x-user': 'name' }),
      /two names that many servers treat as one/,
    ],
    [
      'a header of a rule that says two things',
      put('rules.0.headers', { 'x-AUTH-email': 'subject' }),
      /^rules\[0\]\.headers\.x-AUTH-email: is already set by identityHeaders$/,
    ],
    [
      'a token in the header of an identity',
      put('identityToken', { header: 'X-Auth-Subject', key: { env: 'TOKEN_KEY' }, audience: 'notes' }),
      /^identityToken\.header\.X-Auth-Subject: is already set by identityHeaders$/,
    ],
  ];
  test.each(cases)('%s stops the start', (_name, change, problem) => {
    expect(problemsOf(change).join('\n')).toMatch(new RegExp(problem.source, `${problem.flags}m`));
  });

  const uni = {
    id: 'uni',
    protocol: 'saml',
    name: 'University',
    metadata: { url: 'https://idp.example.edu/metadata' },
  };
  const atUni = (more: object, allow: object) =>
    all(push('providers', { ...uni, ...more }), put('rules.0.allow', { provider: 'uni', ...allow }));

  test.each([
    ['emailDomains', { emailDomains: ['example.edu', 'other.example'] }, 'other.example'],
    ['emails', { emails: ['ada@example.edu', 'ada@other.example'] }, 'other.example'],
  ])('%s of a SAML provider in a domain that it is not trusted for stop the start: they let nobody in', (name, allow, domain) => {
    const trusted = { trustedEmailDomains: ['example.edu'] };
    expect(problemsOf(atUni(trusted, allow))).toEqual([
      `rules[0].allow.${name}[1]: allows no one: ${domain} is not in the trustedEmailDomains of uni`,
    ]);
    expect(problemsOf(atUni({ trustedEmailDomains: ['example.edu', domain] }, allow))).toEqual([]);
  });

  test('a refresh token that would be revoked without https stops the start', () => {
    const exchange = { tokenEndpoint: 'https://as.example/token', header: 'X-Token' };
    const at = (revocationEndpoint: string) =>
      problemsOf(push('providers', { ...uni, tokenExchange: { ...exchange, revocationEndpoint } }));
    expect(at('http://as.example/revoke')).toEqual([
      'providers[1].tokenExchange.revocationEndpoint: must be an https:// address (http on loopback): a refresh token is a credential',
    ]);
    expect(at('https://as.example/revoke')).toEqual([]);
  });

  test('encrypted assertions that nobody could encrypt stop the start', () => {
    expect(problemsOf(push('providers', { ...uni, wantAssertionsEncrypted: true }))).toEqual([
      'providers[1].wantAssertionsEncrypted: needs keys: without a published key, the provider cannot encrypt assertions',
    ]);
  });

  /** Each rule given as its paths and methods; all are open but the last. */
  const rulesFor = (...places: [paths: string[], methods?: string[]][]) =>
    put(
      'rules',
      places.map(([paths, methods], at) => ({ paths, methods, allow: at < places.length - 1 ? 'anyone' : 'nobody' })),
    );

  test.each([
    ['everything under a path', rulesFor([['/api/**']], [['/api/admin']])],
    ['the path itself', rulesFor([['/api/**']], [['/api']])],
    ['a slash at the end', rulesFor([['/api/']], [['/api']])],
    ['a segment by *', rulesFor([['/a/*/c']], [['/a/b/c', '/a/*/c']])],
    ['HEAD by GET', rulesFor([['/api'], ['GET']], [['/api'], ['HEAD']])],
  ])('a rule behind %s is never reached, and stops the start', (_name, change) => {
    expect(problemsOf(change)).toEqual([expect.stringMatching(/^rules\[1\]: .* rule 1 matches/)]);
  });

  test('a rule each of whose paths and methods another one takes is never reached', () => {
    const change = rulesFor(
      [['/a/**', '/b'], ['POST']],
      [['/**'], ['GET']],
      [
        ['/a/x', '/b'],
        ['GET', 'POST'],
      ],
    );
    expect(problemsOf(change)).toEqual(['rules[2]: is never reached: rules 1 and 2 match all of its requests']);
  });

  const bridgeWith = (more: object) => ({
    keys: [{ env: 'BRIDGE_KEY' }],
    clients: [
      { id: 'wiki', name: 'Wiki', secret: { env: 'OTHER' }, redirectUris: ['https://wiki.example.org/callback'], ...more },
    ],
  });

  test.each([
    ['a rule', put('rules.0.allow', { provider: 'corp', claims: { level: ['1'] } })],
    [
      'one of several demands',
      put('rules.0.allow', [
        { provider: 'corp', groups: ['x'] },
        { provider: 'corp', claims: { level: ['1'] } },
      ]),
    ],
    ['who may use an application', put('bridge', bridgeWith({ allow: { provider: 'corp', claims: { level: ['1'] } } }))],
    ['what applications are told', put('bridge', { ...bridgeWith({}), claims: { rank: { from: 'level' } } })],
  ])('a claim that is asked for by %s has an effect', (_name, change) => {
    expect(problemsOf(all(put('providers.0.claims', ['level']), change))).toEqual([]);
    expect(problemsOf(all(put('providers.0.claims', ['level', 'other']), change))).toEqual([
      'providers[0].claims[1]: has no effect: no rule and no application asks for other',
    ]);
  });

  test('a claim that is asked for of one provider has none at another', () => {
    const second = { ...base().providers[0], id: 'second', clientId: 'second', claims: ['level'] };
    const change = all(
      put('providers.0.claims', ['level']),
      put('rules.0.allow', { provider: 'corp', claims: { level: ['1'] } }),
      push('providers', second),
    );
    expect(problemsOf(change)).toEqual(['providers[1].claims[0]: has no effect: no rule and no application asks for level']);
  });

  test('case makes no difference to what hides a rule where it makes none to paths', () => {
    const change = rulesFor([['/API/**']], [['/api/admin']]);
    expect(problemsOf(change)).toEqual([]);
    expect(problemsOf(all(change, put('ignorePathCase', true)))).toHaveLength(1);
  });

  test.each([
    ['more than one segment', rulesFor([['/a/*']], [['/a/**']])],
    ['one of two paths', rulesFor([['/a/**']], [['/a/x', '/b']])],
    ['GET behind HEAD', rulesFor([['/a'], ['HEAD']], [['/a'], ['GET']])],
    ['other methods', rulesFor([['/**'], ['GET', 'POST']], [['/a']])],
  ])('a rule for %s can be reached', (_name, change) => {
    expect(problemsOf(change)).toEqual([]);
  });

  test('a duplicate setting stops the start: only the last would count', () => {
    const twice = exampleConfig.replace('"listen"', '"rules": [{ "paths": ["/**"], "allow": "nobody" }],\n  "listen"');
    expect(() => readConfig(twice, env)).toThrow(/^ {2}- the file: duplicate setting "rules"$/m);
    const inside = exampleConfig.replace('"lifetime"', '"idle": "5m", "li\\u0066etime"');
    expect(() => readConfig(inside, env)).toThrow(/duplicate setting "idle"/);
    const escaped = exampleConfig.replace('"lifetime"', '"li\\u0066etime": "1h", "lifetime"');
    expect(() => readConfig(escaped, env)).toThrow(/duplicate setting "lifetime"/);
  });

  test('a secret comes from a file, without the line break at its end', () => {
    const folder = mkdtempSync(join(tmpdir(), 'octavo-gate-secret-'));
    const file = join(folder, 'key');
    writeFileSync(file, `${'f'.repeat(40)}\n`);
    const config = base();
    config.session.keys = [{ file }, { env: 'GATE_KEY' }];
    expect(readConfig(JSON.stringify(config), env).session.keys).toEqual(['f'.repeat(40), env.GATE_KEY]);
    rmSync(folder, { recursive: true });
  });

  test('all problems are told at once, and no secret among them', () => {
    const problems = problemsOf(
      config => {
        config.listen = 'nowhere';
        config.session.keys = [{ env: 'SHORT' }];
        delete config.rules[0].paths;
      },
      { SHORT: 'hush-hush' },
    );
    expect(problems.length).toBeGreaterThanOrEqual(1);
    expect(problems.join(' ')).not.toContain('hush-hush');
  });
});

describe('questions of --check', () => {
  const config = readConfig(exampleConfig, env);
  test.each([
    ['POST /api/notebooks as someone@example.org from corp in staff', 'allowed by rule 1'],
    ['POST /api/notebooks as someone@example.org from corp', 'denied by rule 1, because it does not allow this person'],
    ['POST /api/notebooks', 'must sign in, by rule 1 (corp)'],
    ['GET /api/notebooks', 'allowed by rule 3'],
    ['/new', 'must sign in, by rule 2'],
    ['/elsewhere as a@b.example', 'denied, because no rule matches'],
    ['/n/..%2fnew', 'refused, because the path contains an encoded slash'],
  ])('%s: %s', (question, answer) => {
    expect(explain(question, config)).toBe(`${question}: ${answer}`);
  });
});
