import { expect, test } from 'vitest';
import { type RedirectRules, readRedirectUri } from '../../src/client/redirect-uri.ts';
import { FakeOp } from '../support/fake-op.ts';

const op = await FakeOp.start();
const open = { method: 'none' } as const;

test.each(['https://rp.example/cb', 'http://127.0.0.1:4000/cb', 'http://[::1]/cb', 'com.example.app:/cb'])(
  'a public client may use %s',
  redirectUri => {
    expect(() => op.relyingParty({ clientAuthentication: open, redirectUri })).not.toThrow();
  },
);

test.each([
  'http://rp.example/cb',
  'http://localhost/cb',
  'myapp:/cb',
  'javascript:alert(1)',
  'https://rp.example/cb#x',
  'https://a:b@rp.example/cb',
  'cb',
  '',
])('nobody may use "%s"', redirectUri => {
  expect(() => op.relyingParty({ clientAuthentication: open, redirectUri })).toThrow(
    expect.objectContaining({ code: 'OIDC_CONFIG_INVALID' }),
  );
});

test.each(['http://127.0.0.1:4000/cb', 'com.example.app:/cb'])(
  'a client that holds a secret is no installed app: %s is refused',
  redirectUri => {
    expect(() => op.relyingParty({ redirectUri })).toThrow(expect.objectContaining({ code: 'OIDC_CONFIG_INVALID' }));
  },
);

const web: RedirectRules = {
  applicationType: 'web',
  dangerouslyAllowLoopbackHttp: false,
  dangerouslyAllowLocalhostRedirect: false,
};
const native: RedirectRules = { ...web, applicationType: 'native' };
const development: RedirectRules = { ...web, dangerouslyAllowLoopbackHttp: true };
const localhost: RedirectRules = { ...native, dangerouslyAllowLocalhostRedirect: true };

test.each([
  [web, 'https://rp.example/cb?x=1'],
  [development, 'http://localhost:4000/cb'],
  [development, 'http://127.0.0.1/cb'],
  [native, 'http://127.0.0.1:4000/cb'],
  [native, 'http://[::1]:4000/cb'],
  [native, 'com.example.app:/cb'],
  [native, 'com.example-2.app.a:/cb'],
  [localhost, 'http://localhost:4000/cb'],
  [{ ...native, dangerouslyAllowLoopbackHttp: true }, 'http://localhost:4000/cb'],
] as [RedirectRules, string][])('by the rules %j %s may be used, as it is', (rules, uri) => {
  expect(readRedirectUri(uri, rules, 'x')).toBe(uri);
});

const anyOf = 'https, http on 127.0.0.1 or [::1], or a scheme with a reversed domain name';
const secure = 'an https URL, because the client is a web application';

test.each([
  [web, 7, 'an absolute URL'],
  [web, new URL('https://rp.example/cb'), 'an absolute URL'],
  [web, '/cb', 'an absolute URL'],
  [web, 'https://rp.example/cb#', 'a URL without a fragment'],
  [web, 'https://user@rp.example/cb', 'a URL without a user name'],
  [web, 'https://:word@rp.example/cb', 'a URL without a user name'],
  [web, 'http://127.0.0.1/cb', secure],
  [web, 'com.example.app:/cb', secure],
  [{ ...localhost, applicationType: 'web' }, 'http://localhost/cb', secure],
  [development, 'http://rp.example/cb', secure],
  [development, 'ftp://127.0.0.1/cb', secure],
  [native, 'http://localhost/cb', anyOf],
  [native, 'http://127.0.0.2/cb', anyOf],
  [native, 'http://rp.example/cb', anyOf],
  [native, 'myapp:/cb', anyOf],
  [native, 'com.:/cb', anyOf],
  [native, 'com.example+x:/cb', anyOf],
  [native, 'x+com.example:/cb', anyOf],
  [localhost, 'http://rp.example/cb', anyOf],
  [localhost, 'http://localhost.evil.example/cb', anyOf],
  [localhost, 'ftp://localhost/cb', anyOf],
] as [RedirectRules, unknown, string][])('by the rules %j %s is refused in these words', (rules, uri, expected) => {
  const refused = expect.objectContaining({ code: 'OIDC_CONFIG_INVALID', check: 'x', expected });
  expect(() => readRedirectUri(uri, rules, 'x')).toThrow(refused);
});
