import { expect, test } from 'vitest';
import { findFasterGrowth, findFasterGrowthLater } from '../../../tools/growth.ts';
import { readInstant } from '../src/values/instant.ts';
import { parseUntrusted } from '../src/xml/xml.ts';
import { encryptElement } from './support/encryptor.ts';
import { buildResponse } from './support/response.ts';
import { attempt } from './support/rule.ts';

const inside = (content: string) =>
  buildResponse({
    sign: 'assertion',
    wire: xml => xml.replace('<samlp:Status>', () => `<samlp:Extensions>${content}</samlp:Extensions><samlp:Status>`),
  });
const many = (count: number, text: (at: number) => string) =>
  Array.from({ length: Math.ceil(count) }, (_, at) => text(at)).join('');

/** Hostile and as large as the caps let through, or just beyond, or a part of that. What only wastes space around honest content may be accepted. */
const hostile: [string, (part: number) => string | Uint8Array][] = [
  [
    '250 levels, ten times',
    part => inside(many(10 * part, at => `${`<x:a${at} xmlns:x="urn:x">`.repeat(250)}${`</x:a${at}>`.repeat(250)}`)),
  ],
  ['4,900 siblings with a namespace each', part => inside(many(4_800 * part, at => `<x${at}:a xmlns:x${at}="urn:x"/>`))],
  ['20,000 attributes', part => inside(`<x:a xmlns:x="urn:x" ${many(20_000 * part, at => `a${at}="" `)}/>`)],
  ['100,000 siblings', part => inside(`<x:a xmlns:x="urn:x">${'<b/>'.repeat(100_000 * part)}</x:a>`)],
  ['100,000 levels', part => '<a>'.repeat(80_000 * part)],
  ['a quote that never closes, 200 kB', part => inside(`<x:a xmlns:x="urn:x" b="${'<'.repeat(200_000 * part)}`)],
  ['200 kB of opening brackets', part => '<'.repeat(200_000 * part)],
  ['200 kB of quotes in a tag', part => inside(`<x:a ${`'"`.repeat(100_000 * part)}/>`)],
  ['200 kB of ampersands', part => inside('&'.repeat(200_000 * part))],
  ['200 kB of xmlns', part => inside(`<x:a ${' xmlns'.repeat(33_000 * part)}/>`)],
  ['two hundred thousand character references', part => inside(`<x:a xmlns:x="urn:x">${'&#65;'.repeat(45_000 * part)}</x:a>`)],
  [
    'four EncryptedKeys for nobody',
    part => buildResponse({ sign: 'none', encrypt: { decoys: Math.ceil(3 * part), key: 'other' } }),
  ],
  ['assertions in assertions', part => inside('<saml:Assertion>'.repeat(200 * part) + '</saml:Assertion>'.repeat(200 * part))],
  [
    'thousands of signatures',
    part => inside('<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"/>'.repeat(3_000 * part)),
  ],
  ['thousands of IDs', part => inside(many(4_000 * part, at => `<x:a xmlns:x="urn:x" ID="_i${at}"/>`))],
  [
    'a ciphertext of 150 kB',
    part =>
      buildResponse({ sign: 'none', encrypt: { ciphertext: bytes => Buffer.concat([bytes, Buffer.alloc(150_000 * part)]) } }),
  ],
  [
    'an encrypted bomb of depth',
    part =>
      buildResponse({
        sign: 'none',
        wire: xml =>
          xml.replace(/<saml:Assertion.*<\/saml:Assertion>/s, () =>
            encryptElement('<a>'.repeat(40_000 * part), 'EncryptedAssertion'),
          ),
      }),
  ],
];

test.each(hostile)('answers %s in proportion to its size, never with another identity', async (_name, make) => {
  const grown = await findFasterGrowthLater(
    async part => {
      const message = make(part);
      return async () => {
        const outcome = await attempt(message);
        if (typeof outcome !== 'string') expect(outcome.nameId?.value).toBe('alice');
      };
    },
    [1 / 16, 1 / 4, 1],
  );
  expect(grown).toBeUndefined();
});

test('keeps memory bounded while refusing all of them repeatedly', async () => {
  const messages = hostile.map(([, make]) => make(1));
  for (const message of messages) await attempt(message);
  const before = process.memoryUsage().rss;
  for (let round = 0; round < 5; round += 1) for (const message of messages) await attempt(message);
  expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
}, 60_000);

test('refuses an instant of 64 characters or more without matching it', () => {
  const refused = (text: string) => expect(() => readInstant(text)).toThrow();
  expect(findFasterGrowth(refused, chars => '1'.repeat(chars))).toBeUndefined();
});

test('scans a tag with every quote trick in linear time', () => {
  const refused = (text: string) => expect(() => parseUntrusted(Buffer.from(text))).toThrow();
  const tricks = (chars: number) => `<a ${`x='${'"'.repeat(1000)}' y="${"'".repeat(1000)}" `.repeat(chars / 2_000)}/>`;
  expect(findFasterGrowth(refused, tricks, [8_000, 32_000, 128_000])).toBeUndefined();
});
