/**
 * What this package uses of Node's own cryptography. It is synchronous, whereas WebCrypto answers in a later turn, by way of
 * another thread.
 */
export interface NodeCrypto {
  hash: (algorithm: string, text: string, encoding: 'base64url') => string;
  verify: (hash: string, data: Uint8Array, key: object, signature: Uint8Array) => boolean;
  /** A class in Node, with the name it has there. */
  KeyObject: { from: (key: CryptoKey) => object };
  constants: { RSA_PKCS1_PSS_PADDING: number };
}

// Looked up, not imported: the package also runs in browsers.
const platform = (globalThis as { process?: { getBuiltinModule?: (name: string) => NodeCrypto | undefined } }).process;

const found = platform?.getBuiltinModule?.('crypto');

/** Node's cryptography; undefined in browsers, and in runtimes that resemble Node but lack part of it. */
export const nodeCrypto = [found?.hash, found?.verify, found?.KeyObject?.from].every(part => typeof part === 'function')
  ? found
  : undefined;
