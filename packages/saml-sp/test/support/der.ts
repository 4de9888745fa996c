import { type KeyObject, sign } from 'node:crypto';

/** Just enough DER to make a self-signed X.509 certificate: tests need nothing installed. */
const node = (tag: number, ...parts: Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  const length =
    body.length < 128
      ? Buffer.from([body.length])
      : body.length < 256
        ? Buffer.from([0x81, body.length])
        : Buffer.from([0x82, body.length >> 8, body.length & 255]);
  return Buffer.concat([Buffer.from([tag]), length, body]);
};
const sequence = (...parts: Uint8Array[]): Buffer => node(0x30, ...parts);
const oid = (...bytes: number[]): Buffer => node(0x06, Buffer.from(bytes));
const utcTime = (date: Date): Buffer => node(0x18, Buffer.from(date.toISOString().replace(/[-:T]|\.\d+/g, '')));

const sha256WithRsa = sequence(oid(0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b), node(0x05));
const ecdsaWithSha256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));

/** A self-signed certificate as PEM. An expired one is as good a key carrier as any (IIP-MD11). */
export function selfSigned(
  commonName: string,
  publicKey: KeyObject,
  privateKey: KeyObject,
  validity: { from: Date; to: Date } = { from: new Date('2026-01-01'), to: new Date('2036-01-01') },
): string {
  const algorithm = privateKey.asymmetricKeyType === 'ec' ? ecdsaWithSha256 : sha256WithRsa;
  const name = sequence(node(0x31, sequence(oid(0x55, 0x04, 0x03), node(0x0c, Buffer.from(commonName)))));
  const body = sequence(
    node(0xa0, node(0x02, Buffer.from([2]))),
    node(0x02, Buffer.from([1])),
    algorithm,
    name,
    sequence(utcTime(validity.from), utcTime(validity.to)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = sign('sha256', body, privateKey);
  const certificate = sequence(body, algorithm, node(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const base64 = certificate.toString('base64').replace(/.{64}/g, '$&\n').trimEnd();
  return `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`;
}
