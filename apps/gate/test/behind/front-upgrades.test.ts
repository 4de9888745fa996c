import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCaddy, startNginx } from '../support/fronts.ts';
import { corp, startGate, type TestGate } from '../support/gate.ts';
import { isInstalled } from '../support/program.ts';
import { freePort } from '../support/servers.ts';
import { sessionCookie } from '../support/session.ts';
import { echoWebSocket, startUpstream, type Upstream } from '../support/upstream.ts';

// WebSockets through the web servers of docs/gate, which ask the gate about them and join the two sides themselves.

const rules = [
  { paths: ['/public/**'], allow: 'anyone' },
  { paths: ['/admin/**'], allow: { provider: 'corp', groups: ['admin'] } },
  { paths: ['/**'], allow: 'signed-in' },
];

describe.each([
  ['nginx', startNginx],
  ['caddy', startCaddy],
])('behind %s', (program, start) => {
  const here = isInstalled(program);
  describe.skipIf(!here)(here ? 'as docs/gate shows it' : `(skipped: ${program} is not installed)`, () => {
    let upstream: Upstream;
    let gate: TestGate;
    let front: AsyncDisposable;
    let origin: string;
    /** What reached the application as an upgrade: the protocol, and whose it was. */
    const upgrades: unknown[] = [];
    const folder = mkdtempSync(join(tmpdir(), `octavo-upgrades-${program}-`));

    beforeAll(async () => {
      upstream = await startUpstream();
      upstream.server.on('upgrade', (request, socket: Socket) => {
        upgrades.push([request.url, request.headers.upgrade, request.headers['x-auth-subject']]);
        echoWebSocket(socket);
      });
      const ports = { front: await freePort(), gate: await freePort(), application: Number(new URL(upstream.origin).port) };
      origin = `http://127.0.0.1:${ports.front}`;
      gate = await startGate({ publicUrl: origin, providers: [corp], rules }, { port: ports.gate });
      front = await start(folder, ports);
    }, 60_000);

    afterAll(async () => {
      for (const one of [front, gate, upstream]) await one?.[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    });

    /** @returns the status, and what comes back of the words that follow an upgrade */
    function upgrade(path: string, lines: readonly string[], protocol = 'websocket', connection = 'Upgrade') {
      const { hostname, port, host } = new URL(origin);
      const words = 'through both';
      const head = [
        `GET ${path} HTTP/1.1`,
        `Host: ${host}`,
        `Connection: ${connection}`,
        `Upgrade: ${protocol}`,
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
        ...lines,
      ];
      return new Promise<[status: number, heard: string]>((resolve, reject) => {
        const socket = connect(Number(port), hostname, () => socket.write(`${head.join('\r\n')}\r\n\r\n`));
        let said = '';
        socket.on('error', reject);
        socket.on('data', chunk => {
          said += chunk.toString('latin1');
          const [answer = '', ...rest] = said.split('\r\n\r\n');
          if (rest.length === 0) return;
          const status = Number(answer.split(' ')[1]);
          if (status === 101 && rest.join('') === '') socket.write(words);
          else if (status !== 101 || rest.join('') === words) {
            resolve([status, status === 101 ? rest.join('') : '']);
            socket.destroy();
          }
        });
      });
    }

    test('a WebSocket reaches the application if the gate lets it through, with the identity', async () => {
      const cookie = `Cookie: ${await sessionCookie(gate)}`;
      expect(await upgrade('/private/socket', [cookie])).toEqual([101, 'through both']);
      expect(upgrades.at(-1)).toEqual(['/private/socket', 'websocket', 'ada']);
      expect(await upgrade('/public/socket', ['X-Auth-Subject: evil'])).toEqual([101, 'through both']);
      expect(upgrades.at(-1)).toEqual(['/public/socket', 'websocket', undefined]);
      expect(await upgrade('/private/socket', [cookie], 'WebSocket', 'x-auth-subject, Upgrade')).toEqual([101, 'through both']);
      expect(upgrades.at(-1)).toMatchObject(['/private/socket', expect.stringMatching(/^websocket$/i), 'ada']);
    });

    test('a WebSocket that the gate refuses does not', async () => {
      const cookie = `Cookie: ${await sessionCookie(gate)}`;
      const before = upgrades.length;
      const statusOf = async (path: string, lines: string[]) => (await upgrade(path, lines))[0];
      expect(await statusOf('/private/socket', [])).toBe(401);
      expect(await statusOf('/admin/socket', [cookie])).toBe(403);
      expect(await statusOf('/private/socket', [cookie, 'Origin: https://evil.example'])).toBe(403);
      expect(upgrades.length).toBe(before);
    });

    test('no other protocol does: in HTTP/2 the client would go on past every rule', async () => {
      const before = upgrades.length;
      const connection = 'Upgrade, HTTP2-Settings';
      const settings = 'HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA';
      for (const protocol of ['h2c', 'h2c, websocket', 'TLS/1.0'])
        expect(await upgrade('/public/x', [settings], protocol, connection)).toEqual([200, '']);
      expect(upgrades.length).toBe(before);
      expect(upstream.seen.slice(-3).flatMap(one => one.headers.upgrade ?? [])).toEqual([]);
      // Two headers are read as one or the other, but the application hears of no other protocol.
      for (const [first, second] of [
        ['h2c', 'websocket'],
        ['websocket', 'h2c'],
      ] as const)
        await upgrade('/public/x', [`Upgrade: ${second}`, settings], first, connection);
      expect(upgrades.slice(before).filter(one => !/"websocket"/.test(JSON.stringify(one)))).toEqual([]);
      expect(upstream.seen.slice(-3).flatMap(one => one.headers.upgrade ?? [])).toEqual([]);
    });
  });
});
