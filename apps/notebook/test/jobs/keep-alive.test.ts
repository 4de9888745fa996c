import { createServer, type Server } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { selfSignedCertificate } from '../../../../tools/self-signed.ts';
import { keepAlive } from '../../src/operations/keep-alive.ts';
import { engines } from '../support/engines.ts';
import { startNotebookApp } from '../support/notebook-app.ts';

let stranger: Server | https.Server | undefined;
afterEach(() => {
  stranger?.close();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

function answerWith(status: number, body: string): Promise<string> {
  stranger = createServer((_request, response) => response.writeHead(status, { location: '/' }).end(body));
  return new Promise(resolve =>
    stranger!.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(stranger!.address() as AddressInfo).port}/api/ping`)),
  );
}

it.each(engines)('is content when the service and its database answer, on $name', async engine => {
  const app = await startNotebookApp({ engine });
  try {
    await expect(keepAlive(`${await app.listen()}/api/ping`)).resolves.toBeUndefined();
  } finally {
    await app.close();
  }
});

// Contract: `GET /api/ping` answers 200 after touching the database. Nothing else keeps one that is suspended when idle awake.
it('asks the database at each call, and /api/ping is 503 while that does not answer', async () => {
  const app = await startNotebookApp({ env: { LOG_LEVEL: 'silent' } });
  try {
    const touch = vi.spyOn(app.parts.store, 'ping');
    const ping = `${await app.listen()}/api/ping`;
    for (const call of [1, 2]) {
      await keepAlive(ping);
      expect(touch).toHaveBeenCalledTimes(call);
    }
    touch.mockRejectedValue(new Error('gone'));
    const { statusCode, headers, body } = await app.ask('GET', '/api/ping');
    expect([statusCode, headers['retry-after'], JSON.parse(body).code]).toEqual([503, '5', 'unavailable']);
    await expect(keepAlive(ping)).rejects.toThrow('answered 503');
  } finally {
    await app.close();
  }
});

it.each([
  ['another page with 200', 200, '<h1>parked</h1>'],
  ['a database that does not answer', 503, '{"code":"unavailable"}'],
  ['a redirect', 302, '{"ok":true}'],
])('complains of %s', async (_, status, body) => {
  await expect(keepAlive(await answerWith(status, body))).rejects.toThrow();
});

it('calls an https address, and believes only a certificate that is vouched for', async () => {
  stranger = https.createServer(await selfSignedCertificate(), (_request, response) => response.end('{"ok":true}'));
  await new Promise<void>(resolve => stranger!.listen(0, '127.0.0.1', resolve));
  const ping = `https://127.0.0.1:${(stranger.address() as AddressInfo).port}/api/ping`;
  await expect(keepAlive(ping)).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  expect(await keepAlive(ping)).toBeUndefined();
});
