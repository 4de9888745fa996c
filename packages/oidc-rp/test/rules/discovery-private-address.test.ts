import { expect, test } from 'vitest';
import { isPrivateAddress, refusePrivateAddresses } from '../../src/index.ts';
import { errorOf } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

const guard = refusePrivateAddresses(async name =>
  name === 'rebound.example' ? ['93.184.216.34', '10.0.0.1'] : name === 'nowhere.example' ? [] : ['93.184.216.34'],
);

test.each([
  'https://127.0.0.1/',
  'https://10.1.2.3/',
  'https://172.16.0.1/',
  'https://192.168.1.1/',
  'https://169.254.169.254/',
  'https://100.64.0.1/',
  'https://0.0.0.0/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://[::1]/',
  'https://[::]/',
  'https://[fe80::1]/',
  'https://[fc00::1]/',
  'https://[::ffff:10.0.0.1]/',
  'https://[64:ff9b::a00:1]/',
  'https://[2002:a00:1::]/',
  'https://localhost/',
  'https://db.internal/',
  'https://printer.local/',
  'https://rebound.example/',
  'https://nowhere.example/',
])('refuses %s', async address => {
  expect((await errorOf(guard(new URL(address)))).code).toBe('OIDC_HTTP_URL_REFUSED');
});

test.each(['https://op.example/', 'https://93.184.216.34/', 'https://[2606:2800:220:1::1]/'])('%s is public', async address => {
  await guard(new URL(address));
  expect(isPrivateAddress('93.184.216.34')).toBe(false);
});

test('the guard is asked before every request, so a document cannot point inwards', async () => {
  const op = await FakeOp.start();
  op.faults.metadata = document => ({ ...document, jwks_uri: 'https://10.0.0.1/jwks' });
  const rp = op.relyingParty({ guardUrl: guard });
  const error = await errorOf(rp.validateIdToken(await op.sign(op.claims()), { nonce: undefined }));
  expect(error.code).toBe('OIDC_HTTP_URL_REFUSED');
  expect(op.strangers).toEqual([]);
});
