import { expect, test } from 'vitest';
import { findFasterGrowth } from '../../../tools/growth.ts';
import { readInstant } from '../src/instant.ts';
import { parseUntrusted } from '../src/xml.ts';
import { encryptElement } from './support/encryptor.ts';
import { buildResponse } from './support/response.ts';
import { attempt } from './support/rule.ts';

const inside = (content: string) =>
  buildResponse({
    sign: 'assertion',
    wire: xml => xml.replace('<samlp:Status>', () => `<samlp:Extensions>${content}</samlp:Extensions><samlp:Status>`),
  });
const many = (count: number, text: (at: number) => string) => Array.from({ length: count }, (_, at) => text(at)).join('');

/** Hostile and as large as the caps let through, or just beyond. What only wastes space around honest content may be accepted. */
const hostile: [string, () => string | Uint8Array][] = [
  [
    '250 levels, ten times',
    () => inside(many(10, at => `${`<x:a${at} xmlns:x="urn:x">`.repeat(250)}${`</x:a${at}>`.repeat(250)}`)),
  ],
  ['4,900 siblings with a namespace each', () => inside(many(4_800, at => `<x${at}:a xmlns:x${at}="urn:x"/>`))],
  ['20,000 attributes', () => inside(`<x:a xmlns:x="urn:x" ${many(20_000, at => `a${at}="" `)}/>`)],
  ['100,000 siblings', () => inside(`<x:a xmlns:x="urn:x">${'<b/>'.repeat(100_000)}</x:a>`)],
  ['100,000 levels', () => '<a>'.repeat(80_000)],
  ['a quote that never closes, 200 kB', () => inside(`<x:a xmlns:x="urn:x" b="${'<'.repeat(200_000)}`)],
  ['200 kB of opening brackets', () => '<'.repeat(200_000)],
  ['200 kB of quotes in a tag', () => inside(`<x:a ${`'"`.repeat(100_000)}/>`)],
  ['200 kB of ampersands', () => inside('&'.repeat(200_000))],
  ['200 kB of xmlns', () => inside(`<x:a ${' xmlns'.repeat(33_000)}/>`)],
  ['two hundred thousand character references', () => inside(`<x:a xmlns:x="urn:x">${'&#65;'.repeat(45_000)}</x:a>`)],
  ['four EncryptedKeys for nobody', () => buildResponse({ sign: 'none', encrypt: { decoys: 3, key: 'other' } })],
  ['assertions in assertions', () => inside('<saml:Assertion>'.repeat(200) + '</saml:Assertion>'.repeat(200))],
  ['thousands of signatures', () => inside('<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"/>'.repeat(3_000))],
  ['thousands of IDs', () => inside(many(4_000, at => `<x:a xmlns:x="urn:x" ID="_i${at}"/>`))],
  [
    'a ciphertext of 150 kB',
    () => buildResponse({ sign: 'none', encrypt: { ciphertext: bytes => Buffer.concat([bytes, Buffer.alloc(150_000)]) } }),
  ],
  [
    'an encrypted bomb of depth',
    () =>
      buildResponse({
        sign: 'none',
        wire: xml =>
          xml.replace(/<saml:Assertion.*<\/saml:Assertion>/s, () => encryptElement('<a>'.repeat(40_000), 'EncryptedAssertion')),
      }),
  ],
];

test.each(hostile)('%s is answered quickly, and never with another identity', async (_name, make) => {
  const message = make();
  const before = performance.now();
  const outcome = await attempt(message);
  const took = performance.now() - before;
  if (typeof outcome !== 'string') expect(outcome.nameId?.value).toBe('alice');
  expect(took).toBeLessThan(1_500);
});

test('memory stays bounded while all of them are refused again and again', async () => {
  const messages = hostile.map(([, make]) => make());
  for (const message of messages) await attempt(message);
  const before = process.memoryUsage().rss;
  for (let round = 0; round < 5; round += 1) for (const message of messages) await attempt(message);
  expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
}, 60_000);

test('an instant of 64 characters or more is refused without being searched', () => {
  const refused = (text: string) => expect(() => readInstant(text)).toThrow();
  expect(findFasterGrowth(refused, chars => '1'.repeat(chars))).toBeUndefined();
});

test('a tag with every quote trick is scanned in linear time', () => {
  const refused = (text: string) => expect(() => parseUntrusted(Buffer.from(text))).toThrow();
  const tricks = (chars: number) => `<a ${`x='${'"'.repeat(1000)}' y="${"'".repeat(1000)}" `.repeat(chars / 2_000)}/>`;
  expect(findFasterGrowth(refused, tricks, [8_000, 32_000, 128_000])).toBeUndefined();
});
