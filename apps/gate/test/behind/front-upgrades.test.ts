import { connect, type Socket } from 'node:net';
import { beforeAll, expect, test } from 'vitest';
import { describeBehindFronts } from '../support/behind-fronts.ts';
import { sessionCookie } from '../support/session.ts';
import { echoWebSocket } from '../support/upstream.ts';

// WebSockets through the web servers of docs/gate, which ask the gate about them and join the two sides themselves.

describeBehindFronts(all => {
  /** What reached the application as an upgrade: the protocol, and whose it was. */
  const upgrades: unknown[] = [];

  beforeAll(() => {
    all.upstream.server.on('upgrade', (request, socket: Socket) => {
      upgrades.push([request.url, request.headers.upgrade, request.headers['x-auth-subject']]);
      echoWebSocket(socket);
    });
  });

  /** @returns the status, and what comes back of the words that follow an upgrade */
  function upgrade(path: string, lines: readonly string[], protocol = 'websocket', connection = 'Upgrade') {
    const { hostname, port, host } = new URL(all.origin);
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
    const cookie = `Cookie: ${await sessionCookie(all.gate)}`;
    expect(await upgrade('/private/socket', [cookie])).toEqual([101, 'through both']);
    expect(upgrades.at(-1)).toEqual(['/private/socket', 'websocket', 'ada']);
    expect(await upgrade('/public/socket', ['X-Auth-Subject: evil'])).toEqual([101, 'through both']);
    expect(upgrades.at(-1)).toEqual(['/public/socket', 'websocket', undefined]);
    expect(await upgrade('/private/socket', [cookie], 'WebSocket', 'x-auth-subject, Upgrade')).toEqual([101, 'through both']);
    expect(upgrades.at(-1)).toMatchObject(['/private/socket', expect.stringMatching(/^websocket$/i), 'ada']);
  });

  test('a WebSocket that the gate refuses does not', async () => {
    const cookie = `Cookie: ${await sessionCookie(all.gate)}`;
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
    expect(all.upstream.seen.slice(-3).flatMap(one => one.headers.upgrade ?? [])).toEqual([]);
    // Two headers are read as one or the other, but the application hears of no other protocol.
    for (const [first, second] of [
      ['h2c', 'websocket'],
      ['websocket', 'h2c'],
    ] as const)
      await upgrade('/public/x', [`Upgrade: ${second}`, settings], first, connection);
    expect(upgrades.slice(before).filter(one => !/"websocket"/.test(JSON.stringify(one)))).toEqual([]);
    expect(all.upstream.seen.slice(-3).flatMap(one => one.headers.upgrade ?? [])).toEqual([]);
  });
});
