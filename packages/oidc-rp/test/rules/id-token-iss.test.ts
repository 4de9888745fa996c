import { test } from 'vitest';
import { expectClaimsRefused } from '../support/expect-refused.ts';

const others = {
  missing: undefined,
  'another provider': 'https://evil.example',
  'with a trailing slash': 'https://op.example/',
  'in another case': 'https://OP.example',
  'with a look-alike letter': 'https://оp.example',
  'a list that holds the right one': ['https://op.example'],
  'a part of the right one (CVE-2024-53861)': 'op.example',
  'the beginning of the right one': 'https://op.exampl',
  'one that begins with the right one': 'https://op.example.evil.example',
};

test.each(Object.entries(others))('an issuer that is %s is refused', async (_fault, iss) => {
  await expectClaimsRefused('OIDC_CLAIM_ISS', { iss });
});
