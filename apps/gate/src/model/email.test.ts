import { expect, test } from 'vitest';
import { readEmail } from './email.ts';

test.each([
  ['ada@example.org', 'example.org'],
  ['Ada.L+notes@Mail.Example.ORG', 'mail.example.org'],
  ["o'neill_x@a-b.example", 'a-b.example'],
])('%s is an address in %s', (text, domain) => {
  expect(readEmail(text)?.domain).toBe(domain);
});

test.each([
  'a@evil.com@good.com',
  '@good.com',
  'a@',
  'a',
  '',
  'a@good',
  'a@good.com.',
  'a@.good.com',
  'a@good..com',
  'a@-good.com',
  'a@good-.com',
  '"a@evil.com"@good.com',
  '"a"@good.com',
  'a@good.com ',
  ' a@good.com',
  'a@good.com\n',
  'a\u0000@good.com',
  'a@gооd.com',
  'ä@good.com',
  'a@good.com,b@evil.com',
  'a(x)@good.com',
  '<a@good.com>',
  'a@[127.0.0.1]',
  '.a@good.com',
  'a.@good.com',
  'a..b@good.com',
  `${'a'.repeat(65)}@good.com`,
  `a@${'a'.repeat(64)}.com`,
  `a@${'a.'.repeat(130)}com`,
  'a@good.com%00',
  'a@good.com@',
  'a＠good.com',
  'a@good。com',
  7,
  null,
  undefined,
  ['a@good.com'],
])('%j is none', text => {
  expect(readEmail(text)).toBeUndefined();
});
