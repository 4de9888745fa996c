import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Sealer } from '../apps/gate/src/sessions/seal.ts';
import { freePort } from '../apps/gate/test/support/servers.ts';
import { openStore } from '../packages/sign-in-store/src/index.ts';

// The capacity of the built gate: memory with 10,000 sessions in use, a gigabyte up and down, 1,000 open WebSockets. Resident
// memory is read from /proc meanwhile, so this runs on Linux. Run `npm run build` first.
const megabytes = Number(process.env.BENCH_MEGABYTES ?? 1024);
const sessions = Number(process.env.BENCH_SESSIONS ?? 10_000);
const sockets = Number(process.env.BENCH_SOCKETS ?? 1000);
const folder = mkdtempSync(join(tmpdir(), 'octavo-bench-capacity-'));
const program = fileURLToPath(new URL('../apps/gate/dist/server/cli.js', import.meta.url));
const key = 'the key of this bench, which is long enough';
const block = Buffer.alloc(65_536, 7);

const application = createServer(async (incoming, response) => {
  if (incoming.url !== '/download') {
    let size = 0;
    for await (const chunk of incoming) size += (chunk as Buffer).length;
    response.end(String(size));
    return;
  }
  response.writeHead(200, { 'content-length': megabytes * 1_048_576 });
  for (let sent = 0; sent < megabytes * 16 && !response.destroyed; sent += 1)
    if (!response.write(block)) await once(response, 'drain');
  response.end();
});
application.on('upgrade', (_request, socket: Socket) => {
  socket.on('error', () => {});
  socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
  socket.pipe(socket);
});
await new Promise<void>(resolve => application.listen(0, '127.0.0.1', resolve));
const port = await freePort();
const store = `sqlite:${join(folder, 'gate.db')}`;
const config = {
  listen: `127.0.0.1:${port}`,
  publicUrl: `http://127.0.0.1:${port}`,
  upstream: `http://127.0.0.1:${(application.address() as AddressInfo).port}`,
  session: { store, keys: [{ env: 'KEY' }] },
  providers: [{ id: 'corp', protocol: 'oidc', name: 'Corp', issuer: 'https://op.example', clientId: 'x' }],
  rules: [{ paths: ['/**'], allow: 'signed-in' }],
};
writeFileSync(join(folder, 'gate.json'), JSON.stringify(config));
const gate = spawn(process.execPath, [program, '--config', join(folder, 'gate.json')], {
  env: { PATH: process.env.PATH, KEY: key },
  stdio: ['ignore', 'ignore', 'inherit'],
});
try {
  for (let tries = 0; ; tries += 1) {
    if ((await fetch(`http://127.0.0.1:${port}/gate/healthz`).catch(() => undefined)) !== undefined) break;
    if (tries > 200) throw new Error('the gate does not answer');
    await sleep(50);
  }
  const cookies = await createSessions(sessions);
  const [first = ''] = cookies;
  const start = residentMegabytes();
  say('after the start', start);

  for (let at = 0; at < cookies.length; at += 50)
    await Promise.all(cookies.slice(at, at + 50).map(cookie => call({ path: '/x', headers: { cookie } })));
  say(`with ${sessions} sessions in use`, residentMegabytes());

  const down = await whileWatching(() => call({ path: '/download', headers: { cookie: first } }));
  say(
    `most while ${megabytes} MB come down (${down.result.bytes === megabytes * 1_048_576 ? 'all of them' : 'NOT ALL'})`,
    down.most,
  );
  const up = await whileWatching(() =>
    call(
      { path: '/upload', method: 'POST', headers: { cookie: first, 'content-length': String(megabytes * 1_048_576) } },
      megabytes * 16,
    ),
  );
  say(
    `most while ${megabytes} MB go up (${up.result.text === String(megabytes * 1_048_576) ? 'all of them' : 'NOT ALL'})`,
    up.most,
  );

  const open = await Promise.all(Array.from({ length: sockets }, (_, at) => upgrade(cookies[at % cookies.length] ?? '')));
  const echoed = await Promise.all(open.map(socket => echo(socket)));
  say(`with ${echoed.filter(Boolean).length} WebSockets that answer`, residentMegabytes());
  await sleep(5000);
  const still = await Promise.all(open.map(socket => echo(socket)));
  say(`five seconds later ${still.filter(Boolean).length} of them answer`, residentMegabytes());
  for (const socket of open) socket.destroy();
} finally {
  const ended = once(gate, 'exit');
  gate.kill('SIGTERM');
  await ended;
  application.closeAllConnections();
  application.close();
  rmSync(folder, { recursive: true, force: true });
}

function say(what: string, megabytesResident: number): void {
  console.log(`${what.padEnd(60)} ${String(Math.round(megabytesResident)).padStart(5)} MB resident`);
}

function residentMegabytes(): number {
  const pages = Number(readFileSync(`/proc/${gate.pid}/statm`, 'utf8').split(' ')[1]);
  return (pages * 4096) / 1_048_576;
}

async function whileWatching<T>(work: () => Promise<T>): Promise<{ result: T; most: number }> {
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, residentMegabytes());
  }, 50);
  const result = await work();
  clearInterval(timer);
  return { result, most };
}

function call(
  { path, method = 'GET', headers }: { path: string; method?: string; headers: Record<string, string> },
  blocks = 0,
): Promise<{ bytes: number; text: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, response => {
      let bytes = 0;
      let text = '';
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes < 1000) text += chunk.toString();
      });
      response.on('end', () =>
        response.statusCode === 200 ? resolve({ bytes, text }) : reject(new Error(`${response.statusCode}`)),
      );
      response.on('error', reject);
    });
    outgoing.on('error', reject);
    void (async () => {
      for (let sent = 0; sent < blocks; sent += 1) if (!outgoing.write(block)) await once(outgoing, 'drain');
      outgoing.end();
    })();
  });
}

function upgrade(cookie: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(`GET /socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nCookie: ${cookie}\r\n\r\n`),
    );
    socket.once('error', reject);
    socket.once('data', head =>
      head.toString().startsWith('HTTP/1.1 101') ? resolve(socket) : reject(new Error(head.toString())),
    );
  });
}

function echo(socket: Socket): Promise<boolean> {
  if (socket.destroyed) return Promise.resolve(false);
  return new Promise(resolve => {
    socket.once('data', data => resolve(data.toString() === 'ping'));
    socket.once('close', () => resolve(false));
    socket.write('ping');
  });
}

/** Creates sessions of as many people, as their sign-ins would. @returns Cookie headers */
async function createSessions(count: number): Promise<string[]> {
  const opened = await openStore(store);
  const sealer = new Sealer([key]);
  const made: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const id = randomBytes(32).toString('base64url');
    const identity = {
      provider: 'corp',
      issuer: 'https://op.example',
      subject: `person-${at}`,
      email: `person-${at}@example.org`,
      isEmailTrusted: true,
      name: `Person ${at}`,
      groups: ['staff', 'editors'],
      claims: {},
    };
    // As large as with a provider's tokens.
    const value = sealer.seal(
      JSON.stringify({ identity, record: { tokens: randomBytes(1500).toString('base64') } }),
      'session value',
    );
    const now = Date.now();
    await opened.createSession({
      id,
      issuer: identity.issuer,
      subject: identity.subject,
      signedInAt: new Date(now),
      idleSeconds: 3600,
      expiresAt: new Date(now + 3_600_000),
      value,
    });
    made.push(`gate=${sealer.seal(id, 'session cookie')}`);
  }
  await opened.close();
  return made;
}
