import { validPieces } from '../support/response.ts';
import { rule } from '../support/rule.ts';
import { at } from '../support/world.ts';

const data = (change: (text: string) => string) => ({ pieces: { confirmationData: change(validPieces.confirmationData) } });
const method = (uri: string) => (xml: string) => xml.replace(/Method="[^"]*"/, `Method="${uri}"`);
const other = '<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:holder-of-key"/>';
const late = validPieces.confirmationData.replace(/NotOnOrAfter="[^"]*"/, `NotOnOrAfter="${at(-3600)}"`);

rule('requires one valid bearer confirmation (saml-profiles-2.0 4.1.4.2; ignored conditions, mixing up providers)', [
  { name: 'SubjectConfirmation missing', code: 'SAML_SUBJECT_CONFIRMATION', pieces: { confirmation: '' } },
  { name: 'SubjectConfirmation empty', code: 'SAML_SUBJECT_CONFIRMATION', pieces: { confirmationData: '' } },
  { name: 'Method empty', code: 'SAML_SUBJECT_CONFIRMATION', assertion: method('') },
  {
    name: 'Method holder-of-key',
    code: 'SAML_SUBJECT_CONFIRMATION',
    assertion: method('urn:oasis:names:tc:SAML:2.0:cm:holder-of-key'),
  },
  {
    name: 'Method sender-vouches',
    code: 'SAML_SUBJECT_CONFIRMATION',
    assertion: method('urn:oasis:names:tc:SAML:2.0:cm:sender-vouches'),
  },
  {
    name: 'Method bearer in capitals',
    code: 'SAML_SUBJECT_CONFIRMATION',
    assertion: method('urn:oasis:names:tc:SAML:2.0:cm:Bearer'),
  },
  { name: 'NotOnOrAfter missing', code: 'SAML_SUBJECT_CONFIRMATION', ...data(text => text.replace(/ NotOnOrAfter="[^"]*"/, '')) },
  {
    name: 'NotOnOrAfter passed',
    code: 'SAML_EXPIRED',
    ...data(text => text.replace(/NotOnOrAfter="[^"]*"/, `NotOnOrAfter="${at(-61)}"`)),
  },
  {
    name: 'NotOnOrAfter exactly at the end of the skew',
    code: 'SAML_EXPIRED',
    ...data(text => text.replace(/NotOnOrAfter="[^"]*"/, `NotOnOrAfter="${at(-60)}"`)),
  },
  {
    name: 'NotOnOrAfter passed, within the skew',
    code: 'accepted',
    ...data(text => text.replace(/NotOnOrAfter="[^"]*"/, `NotOnOrAfter="${at(-59)}"`)),
  },
  {
    name: 'NotBefore, which bearer must not carry',
    code: 'SAML_SUBJECT_CONFIRMATION',
    ...data(text => text.replace(' Recipient', ` NotBefore="${at(-5)}" Recipient`)),
  },
  {
    name: 'for another holder',
    code: 'SAML_SUBJECT_CONFIRMATION',
    pieces: { confirmationData: `<saml:NameID>mallory</saml:NameID>${validPieces.confirmationData}` },
  },
  {
    name: 'several confirmations, the second one holds',
    code: 'accepted',
    pieces: { confirmation: other + validPieces.confirmation },
  },
  {
    name: 'several bearer confirmations, one of them is late',
    code: 'accepted',
    pieces: { confirmation: validPieces.confirmation.replace('{confirmationData}', late) + validPieces.confirmation },
  },
  {
    name: 'several bearer confirmations, none holds: the first one tells why',
    code: 'SAML_EXPIRED',
    pieces: {
      confirmation:
        validPieces.confirmation.replace('{confirmationData}', late) +
        validPieces.confirmation.replace(
          '{confirmationData}',
          validPieces.confirmationData.replace('Recipient="', 'Recipient="x'),
        ),
    },
  },
  { name: 'several confirmations, none holds', code: 'SAML_SUBJECT_CONFIRMATION', pieces: { confirmation: other + other } },
  {
    name: 'Address of another machine, when the caller tells the address',
    code: 'SAML_SUBJECT_CONFIRMATION',
    clientAddress: '192.0.2.1',
    ...data(text => text.replace('/>', ' Address="198.51.100.7"/>')),
  },
  {
    name: 'Address of another machine, when the caller tells none',
    code: 'accepted',
    ...data(text => text.replace('/>', ' Address="198.51.100.7"/>')),
  },
  {
    name: 'Address of this machine',
    code: 'accepted',
    clientAddress: '198.51.100.7',
    ...data(text => text.replace('/>', ' Address="198.51.100.7"/>')),
  },
  ...[
    ['198.51.100.7', '::ffff:198.51.100.7'],
    ['::FFFF:c633:6407', '198.51.100.7'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
  ].map(([said = '', seen = '']) => ({
    name: `Address ${said}, seen as ${seen}`,
    code: 'accepted' as const,
    clientAddress: seen,
    ...data(text => text.replace('/>', ` Address="${said}"/>`)),
  })),
  ...[
    ['198.51.100.7', '198.51.100.70'],
    ['::198.51.100.7', '198.51.100.7'],
    ['2001:db8::1', '2001:db8::2'],
    ['somewhere', 'somewhere'],
    ['198.51.100.07', '198.51.100.7'],
  ].map(([said = '', seen = '']) => ({
    name: `Address ${said}, seen as ${seen}`,
    code: 'SAML_SUBJECT_CONFIRMATION' as const,
    clientAddress: seen,
    ...data(text => text.replace('/>', ` Address="${said}"/>`)),
  })),
]);
