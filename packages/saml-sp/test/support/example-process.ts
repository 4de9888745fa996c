import { readFileSync } from 'node:fs';
import { openStore } from '@octavo/sign-in-store';
import { createApp } from '../../examples/fastify.ts';
import { Sessions } from '../../examples/sessions.ts';
import { PendingCookies, readIdpMetadata, ServiceProvider } from '../../src/index.ts';
import { testKey } from './keys.ts';

/** The example for Fastify as a process of its own: `example-process.ts STORE METADATA-FILE`. It says at which port it listens. */
const [address = '', metadata = ''] = process.argv.slice(2);
const store = await openStore(address);
const key = { privateKey: testKey('sp').privateKey, certificate: testKey('sp').certificate };
const known = readIdpMetadata(readFileSync(metadata));
const sp = new ServiceProvider({
  entityId: 'https://notes.example.org/saml/metadata',
  assertionConsumerServiceUrl: 'https://notes.example.org/saml/acs',
  signingKeys: [key],
  decryptionKeys: [key],
  identityProviders: known,
  replayStore: store.replay,
});
const cookies = new PendingCookies({ keys: ['a secret of thirty-two characters'] });
const app = createApp(sp, known[0]?.entityId ?? '', cookies, new Sessions(store));
process.stdout.write(`${await app.listen({ port: 0, host: '127.0.0.1' })}\n`);
