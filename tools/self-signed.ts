import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';

/** A self-signed certificate, created on the spot so that the repository contains no key. */
export async function selfSignedCertificate(): Promise<{ key: string; cert: string }> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ecdsaWithSha256 = sequence(objectId('2a8648ce3d040302'));
  const name = sequence(set(sequence(objectId('550403'), tagged(0x0c, Buffer.from('op.example')))));
  const validity = sequence(tagged(0x17, Buffer.from('200101000000Z')), tagged(0x17, Buffer.from('491231235959Z')));
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const body = sequence(tagged(0x02, Buffer.of(1)), ecdsaWithSha256, name, validity, name, spki);
  const signature = tagged(
    0x03,
    Buffer.concat([Buffer.of(0), sign('sha256', body, createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' })))]),
  );
  const der = sequence(body, ecdsaWithSha256, signature).toString('base64');
  const cert = `-----BEGIN CERTIFICATE-----\n${der.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string, cert };
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.of(tag, ...head), content]);
}

const sequence = (...parts: Buffer[]) => tagged(0x30, Buffer.concat(parts));
const set = (...parts: Buffer[]) => tagged(0x31, Buffer.concat(parts));
const objectId = (hex: string) => tagged(0x06, Buffer.from(hex, 'hex'));
