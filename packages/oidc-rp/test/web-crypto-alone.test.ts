import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

// Node hashes and verifies at once; a browser does it in a later turn, which the checks have to wait for.
test('where there is WebCrypto alone, a wrong hash and a wrong signature are refused, too', async () => {
  const file = path.join(import.meta.dirname, 'support/web-crypto-process.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [file]);
  expect(JSON.parse(stdout)).toEqual({
    nodeCrypto: 'undefined',
    honest: 'sub-1',
    at_hash: 'OIDC_CLAIM_AT_HASH',
    c_hash: 'OIDC_CLAIM_C_HASH',
    signature: 'OIDC_JWT_SIGNATURE',
  });
});
