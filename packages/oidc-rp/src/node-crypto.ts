/** What this package uses of Node's own cryptography: at once, where WebCrypto answers in a later turn, by way of another thread. */
export interface NodeCrypto {
  hash: (algorithm: string, text: string, encoding: 'base64url') => string;
  verify: (hash: string, data: Uint8Array, key: object, signature: Uint8Array) => boolean;
  /** A class of Node, named as there. */
  KeyObject: { from: (key: CryptoKey) => object };
  constants: { RSA_PKCS1_PSS_PADDING: number };
}

// Looked for, not imported: the package runs in browsers, too.
const platform = (globalThis as { process?: { getBuiltinModule?: (name: string) => NodeCrypto | undefined } }).process;

const found = platform?.getBuiltinModule?.('crypto');

/** Node's cryptography; undefined in browsers, and in runtimes that resemble Node and lack a part of it. */
export const nodeCrypto = [found?.hash, found?.verify, found?.KeyObject?.from].every(part => typeof part === 'function')
  ? found
  : undefined;
