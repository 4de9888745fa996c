import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGate, type TestGate } from '../support/gate.ts';
import { freePort, serve, type TestServer } from '../support/servers.ts';
import {
  certificateData,
  createKeyPair,
  enhancedClient,
  missing,
  type SimpleSamlPhp,
  startSimpleSamlPhp,
} from '../support/simplesamlphp.ts';

// An identity provider changes its certificate: announced, as it should be, and unannounced, as it happens.

describe.skipIf(missing !== undefined)(
  `the certificate of the identity provider changes${missing === undefined ? '' : ` (skipped: no ${missing})`}`,
  () => {
    const [old, fresh, stranger] = [createKeyPair(), createKeyPair(), createKeyPair()];
    let idp: SimpleSamlPhp;
    let metadata: TestServer;
    let gate: TestGate;
    let template = '';
    /** What the provider's metadata names now. */
    let announced = [old];
    let fetches = 0;
    let now = new Date();
    /** The metadata is answered when this has settled. */
    let hold: Promise<void> | undefined;

    beforeAll(async () => {
      const port = await freePort();
      const origin = `http://127.0.0.1:${port}`;
      idp = await startSimpleSamlPhp();
      idp.signWith(old);
      const own = createKeyPair();
      idp.know(
        `${origin}/gate/uni/metadata`,
        { acs: `${origin}/gate/uni/acs`, slo: `${origin}/gate/uni/slo` },
        { certData: certificateData(own.certificate) },
      );
      template = await (await fetch(idp.metadataUrl)).text();
      metadata = await serve(async (_request, response) => {
        fetches += 1;
        await hold;
        const keys = announced.map(
          pair =>
            `<md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${certificateData(pair.certificate)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`,
        );
        const whole = template
          .replace(/<md:KeyDescriptor use="encryption">[\s\S]*?<\/md:KeyDescriptor>/, '')
          .replace(/<md:KeyDescriptor use="signing">[\s\S]*?<\/md:KeyDescriptor>/, keys.join(''));
        response.writeHead(200, { 'content-type': 'application/samlmetadata+xml' }).end(whole);
      });
      gate = await startGate(
        {
          providers: [
            {
              id: 'uni',
              protocol: 'saml',
              name: 'University',
              metadata: { url: metadata.origin },
              // The clock of this gate is set on below, the provider's is not.
              clockToleranceSeconds: 300,
              keys: [{ privateKey: { env: 'SP_KEY' }, certificate: { env: 'SP_CRT' } }],
            },
          ],
          rules: [{ paths: ['/**'], allow: 'signed-in' }],
        },
        { port, env: { SP_KEY: own.privateKey, SP_CRT: own.certificate }, overrides: { now: () => now } },
      );
    }, 120_000);

    afterAll(async () => {
      for (const one of [gate, metadata, idp]) await one?.[Symbol.asyncDispose]();
    });

    const underWay = async () =>
      Number(/gate_stored_rows\{kind="pending"\} (\d+)/.exec(await (await gate.fetch('/gate/metrics')).text())?.[1]);

    async function signIn(shiftMs = 0): Promise<Response> {
      now = new Date(Date.now() + shiftMs);
      const envelope = await (await gate.fetch('/x', { headers: enhancedClient })).text();
      const body = await idp.carry(envelope);
      return gate.fetch('/gate/uni/acs', {
        method: 'POST',
        headers: { accept: 'text/html', 'content-type': 'application/vnd.paos+xml' },
        body,
      });
    }

    test('announced: both are named, either signs, and then the old one is gone', async () => {
      expect((await signIn()).status).toBe(303);
      announced = [old, fresh];
      await gate.app.refreshMetadata();
      expect((await signIn()).status).toBe(303);
      idp.signWith(fresh);
      expect((await signIn()).status).toBe(303);
      announced = [fresh];
      await gate.app.refreshMetadata();
      expect((await signIn()).status).toBe(303);
    }, 60_000);

    test('unannounced: the metadata is read again at once, and nobody is refused', async () => {
      announced = [old];
      idp.signWith(old);
      const before = fetches;
      expect((await signIn()).status).toBe(303);
      expect(fetches).toBe(before + 1);
    }, 60_000);

    test('unannounced, with several people at once: the metadata is read once, and all of them wait for it', async () => {
      const before = fetches;
      announced = [fresh];
      idp.signWith(fresh);
      let release = () => {};
      hold = new Promise(resolve => {
        release = resolve;
      });
      // More than a minute after the last reading.
      const first = signIn(120_000);
      await expect.poll(() => fetches).toBe(before + 1);
      const others = [signIn(120_000), signIn(120_000)];
      // What they began is taken: they have come as far as their signature.
      await expect.poll(underWay).toBe(0);
      await gate.fetch('/gate/healthz');
      release();
      hold = undefined;
      expect((await Promise.all([first, ...others])).map(answer => answer.status)).toEqual([303, 303, 303]);
      expect(fetches).toBe(before + 1);
      announced = [old];
      idp.signWith(old);
      await gate.app.refreshMetadata();
    }, 60_000);

    test('a key that the metadata does not name is refused with a fault, and causes no flood of fetches', async () => {
      idp.signWith(stranger);
      const before = fetches;
      const refused = await Promise.all([signIn(), signIn(), signIn()]);
      expect(refused.map(answer => answer.status)).toEqual([403, 403, 403]);
      expect(await refused[0]?.text()).toMatch(
        /SAML_SIGNATURE_INVALID: The provider signed with a key that this site does not know/,
      );
      expect(fetches - before).toBeLessThanOrEqual(1);
      idp.signWith(old);
      expect((await signIn()).status).toBe(303);
    }, 60_000);

    test('a source of metadata that is down changes nothing', async () => {
      const { port } = new URL(metadata.origin);
      await metadata[Symbol.asyncDispose]();
      await gate.app.refreshMetadata();
      expect((await signIn()).status).toBe(303);
      expect(gate.log.at(-2)).toMatchObject({ message: 'could not read the metadata of a provider', provider: 'uni' });
      expect(Number(port)).toBeGreaterThan(0);
    }, 60_000);
  },
);
