import { constants, createHash, type KeyObject, privateDecrypt } from 'node:crypto';

/** MGF1 of RFC 8017 B.2.1. */
function mgf1(hash: string, seed: Uint8Array, length: number): Buffer {
  const blocks: Buffer[] = [];
  for (let counter = 0, size = 0; size < length; counter += 1) {
    const index = Buffer.alloc(4);
    index.writeUInt32BE(counter);
    const block = createHash(hash).update(seed).update(index).digest();
    blocks.push(block);
    size += block.length;
  }
  return Buffer.concat(blocks).subarray(0, length);
}

const xor = (left: Uint8Array, right: Uint8Array): Buffer => Buffer.from(left.map((byte, at) => byte ^ (right[at] ?? 0)));

/** Where the message begins in DB, or -1. Every byte is examined, whatever the ones before it were. */
function messageStart(db: Uint8Array, labelHash: Uint8Array, leading: number): number {
  let wrong = leading;
  for (let at = 0; at < labelHash.length; at += 1) wrong |= (db[at] ?? 0) ^ (labelHash[at] ?? 0);
  let start = 0;
  for (let at = labelHash.length; at < db.length; at += 1) {
    const byte = db[at] ?? 0;
    const before = start === 0 ? 1 : 0;
    start += before * (byte === 1 ? 1 : 0) * (at + 1);
    wrong |= before * (byte > 1 ? 1 : 0);
  }
  return wrong !== 0 || start === 0 ? -1 : start;
}

/**
 * RSAES-OAEP decryption (RFC 8017 7.1.2) with separate hashes for the digest and for mask generation: XML Encryption's
 * rsa-oaep-mgf1p with SHA-256 keeps MGF1 on SHA-1, which Node's own OAEP cannot express.
 * @returns the message, or undefined; the reason is never revealed (Manger's attack)
 */
export function decryptOaep(key: KeyObject, ciphertext: Uint8Array, hash: string, maskHash: string): Buffer | undefined {
  // OpenSSL treats a missing leading zero as present.
  if (ciphertext.length !== Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8)) return undefined;
  let encoded: Buffer;
  try {
    encoded = privateDecrypt({ key, padding: constants.RSA_NO_PADDING }, ciphertext);
  } catch {
    return undefined;
  }
  const labelHash = createHash(hash).digest();
  if (encoded.length < 2 * labelHash.length + 2) return undefined;
  const maskedSeed = encoded.subarray(1, 1 + labelHash.length);
  const maskedDb = encoded.subarray(1 + labelHash.length);
  const seed = xor(maskedSeed, mgf1(maskHash, maskedDb, labelHash.length));
  const db = xor(maskedDb, mgf1(maskHash, seed, maskedDb.length));
  const start = messageStart(db, labelHash, encoded[0] ?? 1);
  return start === -1 ? undefined : db.subarray(start);
}
