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

/** Node's cryptography; undefined in browsers. */
export const nodeCrypto = platform?.getBuiltinModule?.('crypto');
