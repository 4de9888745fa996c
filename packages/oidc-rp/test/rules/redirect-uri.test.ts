import { expect, test } from 'vitest';
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
