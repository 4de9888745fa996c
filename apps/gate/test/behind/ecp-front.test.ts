import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCaddy, startNginx } from '../support/fronts.ts';
import { startGate, type TestGate } from '../support/gate.ts';
import { isInstalled } from '../support/program.ts';
import { freePort } from '../support/servers.ts';
import {
  certificateData,
  createKeyPair,
  enhancedClient,
  missing,
  type SimpleSamlPhp,
  startSimpleSamlPhp,
} from '../support/simplesamlphp.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

// An enhanced client (ECP) in front of the configurations of docs/gate as they run.

describe.each([
  ['nginx', startNginx],
  ['caddy', startCaddy],
])('an enhanced client behind %s', (program, start) => {
  const absent = missing ?? (isInstalled(program) ? undefined : program);
  describe.skipIf(absent !== undefined)(absent === undefined ? 'as docs/gate shows it' : `(skipped: no ${absent})`, () => {
    let upstream: Upstream;
    let idp: SimpleSamlPhp;
    let gate: TestGate;
    let front: AsyncDisposable;
    let origin: string;
    const folder = mkdtempSync(join(tmpdir(), `octavo-ecp-${program}-`));

    beforeAll(async () => {
      [upstream, idp] = await Promise.all([startUpstream(), startSimpleSamlPhp()]);
      const ports = { front: await freePort(), gate: await freePort(), application: Number(new URL(upstream.origin).port) };
      origin = `http://127.0.0.1:${ports.front}`;
      const pair = createKeyPair();
      idp.know(
        `${origin}/gate/uni/metadata`,
        { acs: `${origin}/gate/uni/acs`, slo: `${origin}/gate/uni/slo` },
        { certData: certificateData(pair.certificate) },
      );
      gate = await startGate(
        {
          publicUrl: origin,
          providers: [
            {
              id: 'uni',
              protocol: 'saml',
              name: 'University',
              metadata: { url: idp.metadataUrl },
              keys: [{ privateKey: { env: 'SP_KEY' }, certificate: { env: 'SP_CRT' } }],
            },
          ],
          rules: [{ paths: ['/**'], allow: 'signed-in' }],
        },
        { port: ports.gate, env: { SP_KEY: pair.privateKey, SP_CRT: pair.certificate } },
      );
      front = await start(folder, ports);
    }, 120_000);

    afterAll(async () => {
      for (const one of [front, gate, idp, upstream]) await one?.[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    });

    const get = (path: string, headers: Record<string, string>) => fetch(new URL(path, origin), { redirect: 'manual', headers });

    test('is redirected to its envelope, signs in and gets what it requested', async () => {
      const sent = await get('/notes/1?x=2', enhancedClient);
      const location = sent.headers.get('location') ?? '';
      expect([sent.status, location]).toEqual([303, `${origin}/gate/sign-in?provider=uni&returnTo=%2Fnotes%2F1%3Fx%3D2`]);
      const envelope = await get(location, enhancedClient);
      expect([envelope.status, envelope.headers.get('content-type')]).toEqual([200, 'application/vnd.paos+xml']);
      const done = await fetch(`${origin}/gate/uni/acs`, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': 'application/vnd.paos+xml' },
        body: await idp.carry(await envelope.text()),
      });
      expect(done.status).toBe(303);
      const cookie = done.headers
        .getSetCookie()
        .map(line => line.split(';', 1)[0])
        .join('; ');
      const wanted = await get(done.headers.get('location') ?? '', { ...enhancedClient, cookie });
      expect(wanted.status).toBe(200);
      expect(upstream.seen.at(-1)).toMatchObject({
        url: '/notes/1?x=2',
        headers: { 'x-auth-subject': 'alice@example.com', 'x-auth-issuer': idp.entityId },
      });
    }, 60_000);
  });
});
