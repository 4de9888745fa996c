import { type Fault, rule } from '../support/rule.ts';
import { assertionWrappings, bareAssertionWrappings, rootWrappings } from '../support/wrapping.ts';

const signings = ['response', 'assertion', 'both'] as const;

/** Wrapping needs a signature to wrap: the root ones where the Response is signed, the others where the assertion is. */
const root = signings.filter(sign => sign !== 'assertion');
const inner = signings.filter(sign => sign !== 'response');

/** In a Response whose assertion is encrypted there is no assertion text to move: there the bare ones apply. */
const faults: Fault[] = [
  ...root.flatMap(sign =>
    Object.entries(rootWrappings).map(
      ([name, wire]): Fault => ({ name: `${name} (${sign} signed)`, code: 'wrapped', sign, wire }),
    ),
  ),
  ...inner.flatMap(sign =>
    Object.entries(assertionWrappings).map(
      ([name, wire]): Fault => ({ name: `${name} (${sign} signed)`, code: 'wrapped', sign, wire, modes: ['plain'] }),
    ),
  ),
  ...Object.entries(bareAssertionWrappings).map(
    ([name, signedAssertion]): Fault => ({
      name: `${name} (encrypted by the attacker)`,
      code: name.startsWith('two') ? 'SAML_XML_MALFORMED' : 'wrapped',
      sign: 'assertion',
      signedAssertion,
      modes: ['encrypted'],
    }),
  ),
];

rule(
  'refuses a wrapped Response (XSW1 to XSW10; signature wrapping, wrapping, second assertions, searching the whole document)',
  faults,
);
