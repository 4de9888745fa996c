import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { selfSigned } from './der.ts';

/** A key pair of the tests with its certificate. */
export interface TestKey {
  privateKey: KeyObject;
  certificate: string;
  /** The certificate as it stands in metadata: base64 without line breaks. */
  base64: string;
}

const folder = new URL('../../node_modules/.cache/test-keys-1/', import.meta.url);

const kinds = {
  idp: { bits: 2048 },
  'idp-next': { bits: 2048 },
  attacker: { bits: 2048 },
  sp: { bits: 2048 },
  'sp-next': { bits: 2048 },
  weak: { bits: 1024 },
  'idp-ec': { curve: 'P-256' },
  'idp-ec384': { curve: 'P-384' },
  other: { bits: 2048 },
} as const;

export type KeyName = keyof typeof kinds;

function generate(name: KeyName): { key: string; certificate: string } {
  const kind: { bits?: number; curve?: string } = kinds[name];
  const pair =
    kind.curve === undefined
      ? generateKeyPairSync('rsa', { modulusLength: kind.bits ?? 2048 })
      : generateKeyPairSync('ec', { namedCurve: kind.curve });
  return {
    key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: selfSigned(name, pair.publicKey, pair.privateKey),
  };
}

/** RSA keys take a while to make: one set is made on a machine and kept beside the installed packages. */
function load(name: KeyName): { key: string; certificate: string } {
  const file = new URL(`${name}.json`, folder);
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    const temporary = new URL(`${name}.${process.pid}.tmp`, folder);
    writeFileSync(temporary, JSON.stringify(generate(name)));
    if (!existsSync(file)) renameSync(temporary, file);
  }
  return JSON.parse(readFileSync(file, 'utf8')) as { key: string; certificate: string };
}

const loaded = new Map<KeyName, TestKey>();

/** The test key of that name: made once, the same in every test file. */
export function testKey(name: KeyName): TestKey {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const { key, certificate } = load(name);
  const made = { privateKey: createPrivateKey(key), certificate, base64: certificate.replace(/-----[^-]+-----|\s/g, '') };
  loaded.set(name, made);
  return made;
}
