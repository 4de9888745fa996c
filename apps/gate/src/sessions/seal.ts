import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

interface SealKey {
  readonly id: Buffer;
  readonly key: Buffer;
}

const version = 1;
const idBytes = 4;
const nonceBytes = 12;
const tagBytes = 16;
const headBytes = 1 + idBytes + nonceBytes;

/**
 * Seals text with AES-256-GCM. The first key seals, all of them open: put a new key in front, and remove the old one when
 * everything it sealed has ended. `purpose` is bound into the seal, so that one kind of sealed text cannot stand in for another.
 */
export class Sealer {
  readonly #keys: readonly SealKey[];

  constructor(secrets: readonly string[]) {
    this.#keys = secrets.map(secret => ({
      id: createHash('sha256').update(`octavo-gate key id ${secret}`).digest().subarray(0, idBytes),
      key: Buffer.from(hkdfSync('sha256', secret, 'octavo-gate', 'seal v1', 32)),
    }));
  }

  seal(text: string, purpose: string): string {
    const [{ id, key }] = this.#keys as [SealKey];
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', key, nonce);
    const head = Buffer.concat([Buffer.from([version]), id, nonce]);
    cipher.setAAD(Buffer.concat([head, Buffer.from(purpose)]));
    return Buffer.concat([head, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64url');
  }

  /** @returns undefined for anything that we did not seal for this purpose */
  open(sealed: string, purpose: string): string | undefined {
    const bytes = Buffer.from(sealed, 'base64url');
    if (bytes.length < headBytes + tagBytes || bytes[0] !== version || bytes.toString('base64url') !== sealed) return undefined;
    const id = bytes.subarray(1, 1 + idBytes);
    const found = this.#keys.find(key => key.id.equals(id));
    if (found === undefined) return undefined;
    const decipher = createDecipheriv('aes-256-gcm', found.key, bytes.subarray(1 + idBytes, headBytes), {
      authTagLength: tagBytes,
    });
    decipher.setAAD(Buffer.concat([bytes.subarray(0, headBytes), Buffer.from(purpose)]));
    decipher.setAuthTag(bytes.subarray(-tagBytes));
    try {
      return decipher.update(bytes.subarray(headBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      return undefined;
    }
  }

  /** Whether it has the shape of our seal, by a key that we do not have. */
  isOfOtherKey(sealed: string): boolean {
    const bytes = Buffer.from(sealed, 'base64url');
    return bytes[0] === version && !this.#keys.some(key => key.id.equals(bytes.subarray(1, 1 + idBytes)));
  }

  /** Whether a newer key was added since it was sealed. */
  isOld(sealed: string): boolean {
    const [first] = this.#keys;
    return (
      first !== undefined &&
      !Buffer.from(sealed, 'base64url')
        .subarray(1, 1 + idBytes)
        .equals(first.id)
    );
  }
}
