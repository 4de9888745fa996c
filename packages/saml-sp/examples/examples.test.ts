import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { describe, expect, test } from 'vitest';
import { MemoryReplayStore, ServiceProvider } from '../src/index.ts';
import { testKey } from '../test/support/keys.ts';
import { type SmallIdp, startSmallIdp } from '../test/support/small-idp.ts';
import { Visitor } from '../test/support/visitor.ts';
import { createApp as expressApp } from './express.ts';
import { createApp as fastifyApp } from './fastify.ts';
import { createApp as honoApp } from './hono.ts';

type Listener = Parameters<typeof createServer>[1];
const frameworks: Record<string, (sp: ServiceProvider, idp: string) => Promise<Listener>> = {
  fastify: async (sp, idp) => {
    const app = fastifyApp(sp, idp);
    await app.ready();
    return (request, response) => app.routing(request, response);
  },
  express: async (sp, idp) => expressApp(sp, idp) as never,
  hono: async (sp, idp) => getRequestListener(honoApp(sp, idp).fetch) as never,
};

/** An application on a free port, whose address the service provider must know before it is made. */
async function serveExample(make: (sp: ServiceProvider, idp: string) => Promise<Listener>, idp: SmallIdp) {
  const server = createServer();
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sp = new ServiceProvider({
    entityId: `${origin}/saml/metadata`,
    assertionConsumerServiceUrl: `${origin}/saml/acs`,
    signingKeys: [{ privateKey: testKey('sp').privateKey, certificate: testKey('sp').certificate }],
    decryptionKeys: [{ privateKey: testKey('sp').privateKey, certificate: testKey('sp').certificate }],
    identityProviders: [idp.known()],
    replayStore: new MemoryReplayStore(),
  });
  server.on('request', (await make(sp, idp.entityId)) as never);
  const stop = () => new Promise<void>(done => server.close(() => done()) && server.closeAllConnections());
  return { origin, [Symbol.asyncDispose]: stop };
}

describe.each(Object.entries(frameworks))('the example for %s runs', (name, make) => {
  test('a whole sign-in, and the answer works once', async () => {
    await using idp = await startSmallIdp();
    await using app = await serveExample(make, idp);
    const alice = new Visitor();
    const page = await (await alice.visit(`${app.origin}/sign-in`)).text();
    const signedIn = await alice.submit(page);
    expect(await signedIn.json()).toEqual({ issuer: idp.entityId, nameId: 'alice' });
    const again = await alice.submit(page);
    expect([again.status, await again.json()]).toEqual([403, { error: 'SAML_UNSOLICITED' }]);
  });

  test('an answer in another browser signs nobody in (login CSRF)', async () => {
    await using idp = await startSmallIdp();
    await using app = await serveExample(make, idp);
    const page = await (await new Visitor().visit(`${app.origin}/sign-in`)).text();
    expect((await new Visitor().submit(page)).status).toBe(403);
  });

  test('encrypted, and misbehaving', async () => {
    await using idp = await startSmallIdp();
    await using app = await serveExample(make, idp);
    const attempt = async () => {
      const visitor = new Visitor();
      const page = await (await visitor.visit(`${app.origin}/sign-in`)).text();
      return (await (await visitor.submit(page)).json()) as Record<string, string>;
    };
    idp.misbehave = { encrypt: {} };
    expect(await attempt()).toMatchObject({ nameId: 'alice' });
    idp.misbehave = { signAssertion: { key: 'attacker' }, signResponse: { key: 'attacker' } };
    expect(await attempt()).toEqual({ error: 'SAML_SIGNATURE_INVALID' });
    idp.misbehave = { assertion: xml => xml.replace(/<saml:Audience>[^<]*/, '<saml:Audience>https://other.example') };
    expect(await attempt()).toEqual({ error: 'SAML_AUDIENCE' });
  });

  test('metadata is served', async () => {
    await using idp = await startSmallIdp();
    await using app = await serveExample(make, idp);
    const response = await fetch(`${app.origin}/saml/metadata`);
    expect(response.headers.get('content-type')).toContain('application/samlmetadata+xml');
    expect(await response.text()).toContain(`Location="${app.origin}/saml/acs"`);
  });

  test('the README shows exactly this code', async () => {
    const code = await readFile(new URL(`./${name}.ts`, import.meta.url), 'utf8');
    const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
    expect(readme).toContain(`\`\`\`ts\n${code.replace('../src/index.ts', '@octavo/saml-sp')}\`\`\``);
  });
});
