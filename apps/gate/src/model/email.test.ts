import { expect, test } from 'vitest';
import { readDomain, readEmail } from './email.ts';

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

const domain = (length: number): string => 'a'.repeat(2 - (length % 2)) + '.a'.repeat(Math.ceil(length / 2) - 1);

test('the longest address, and the longest parts of it', () => {
  expect(domain(253)).toHaveLength(253);
  expect(readDomain(domain(253))).toBe(domain(253));
  expect(readDomain(domain(254))).toBeUndefined();
  expect(readEmail(`${'a'.repeat(64)}@good.com`)?.domain).toBe('good.com');
  expect(readEmail(`a@${domain(252)}`)?.domain).toBe(domain(252));
  expect(readEmail(`ab@${domain(252)}`)).toBeUndefined();
});

test('a domain is read in lower case, and as strictly as that of an address', () => {
  expect(readDomain('Mail.Example.ORG')).toBe('mail.example.org');
  for (const text of ['', 'good', 'good.com.', '.good.com', 'good..com', '-good.com', 'gооd.com', '*.good.com', 'a@good.com'])
    expect(readDomain(text), text).toBeUndefined();
});
