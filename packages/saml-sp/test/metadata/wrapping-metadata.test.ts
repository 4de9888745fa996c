import { describe, expect, test } from 'vitest';
import { readIdpMetadata } from '../../src/idp/idp-metadata.ts';
import { entities, entity, signMetadata } from '../support/idp-metadata-fixture.ts';
import { testKey } from '../support/keys.ts';
import { againstWrapping } from '../support/rule.ts';
import { at, now } from '../support/world.ts';
import { rootWrappings } from '../support/wrapping.ts';

const signedBy = [testKey('other').certificate];
const outcome = (xml: string): string => {
  try {
    return readIdpMetadata(xml, { signedBy, now })
      .flatMap(one => one.singleSignOn.map(endpoint => endpoint.location))
      .join();
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('metadata cannot be wrapped (signature wrapping): an evil address never comes out', () => {
  for (const [kind, signed] of [
    ['an entity', signMetadata(entity({ attributes: ` ID="_md1" validUntil="${at(3600)}"` }), { key: 'other' })],
    ['an aggregate', signMetadata(entities(entity({ attributes: '' }), ` ID="_all" validUntil="${at(3600)}"`), { key: 'other' })],
  ] as const) {
    for (const [name, wrap] of Object.entries(rootWrappings)) {
      const hostile = wrap(signed).replaceAll('samlp:Extensions', 'md:Extensions');
      test(`${kind}: ${name}`, () => expect(againstWrapping).toContain(outcome(hostile)));
    }
  }

  test('the signed entity beside an evil one in an unsigned aggregate', () => {
    const evil = entity({ attributes: ' ID="_evil"' }, 'https://evil.example');
    expect(
      outcome(entities(signMetadata(entity({ attributes: ` ID="_md1" validUntil="${at(3600)}"` }), { key: 'other' }) + evil)),
    ).toBe('SAML_SIGNATURE_MISSING');
  });

  test('the root signature points at a child', () => {
    const xml = entities(entity({ attributes: ' ID="_md1"' }));
    expect(outcome(signMetadata(xml, { key: 'other', uri: '#_md1' }))).toBe('SAML_SIGNATURE_PROFILE');
  });
});
