import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { openStore, type SignInStore } from '@octavo/sign-in-store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { corp, startGate, type TestGate } from '../support/gate.ts';
import { raw } from '../support/raw-request.ts';
import { sessionCookie } from '../support/session.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

// People leave in the middle: nothing goes on for those who are gone.

let upstream: Upstream;
let base: TestGate;
let store: SignInStore;
let gate: TestGate;
/** Lets the next look for a session wait for the test. */
let hold: (() => Promise<void>) | undefined;
/** The servers' sides of connections, by the port at their other end. */
const accepted = new Map<number | undefined, Socket>();
const note = (message: unknown) => {
  const { socket } = message as { socket: Socket };
  accepted.set(socket.remotePort, socket);
};

beforeAll(async () => {
  subscribe('net.server.socket', note);
  upstream = await startUpstream();
  const settings = { upstream: upstream.origin, providers: [corp], rules: [{ paths: ['/**'], allow: 'signed-in' }] };
  base = await startGate(settings);
  store = await openStore(base.store);
  const slow: SignInStore = {
    ...store,
    recallSession: () => undefined,
    async findSession(id) {
      await hold?.();
      return store.findSession(id);
    },
  };
  gate = await startGate(settings, { store: base.store, overrides: { store: slow } });
});

afterAll(async () => {
  unsubscribe('net.server.socket', note);
  for (const one of [gate, base, upstream]) await one?.[Symbol.asyncDispose]();
  await store?.close();
});

const openStreams = async () => /gate_open_streams (\d+)/.exec(await (await gate.fetch('/gate/metrics')).text())?.[1];

/** The store's next answer waits for `answered`. */
function holdStore() {
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  hold = () => {
    hold = undefined;
    asked.resolve();
    return answered.promise;
  };
  return { asked, answered };
}

test('does not forward a request whose sender leaves while the store is asked', async () => {
  const cookie = await sessionCookie(gate);
  const before = upstream.seen.length;
  const { asked, answered } = holdStore();
  const { hostname, port } = new URL(gate.origin);
  const request = raw('GET', '/x', [`Cookie: ${cookie}`]);
  const socket = connect(Number(port), hostname, () => socket.write(request, 'latin1'));
  await asked.promise;
  const left = new Promise(resolve => accepted.get(socket.localPort)?.once('close', resolve));
  socket.destroy();
  await left;
  answered.resolve();
  expect((await gate.fetch('/y', { headers: { cookie } })).status).toBe(200);
  expect(upstream.seen.slice(before).map(one => one.url)).toEqual(['/y']);
  await expect.poll(openStreams).toBe('0');
});

test('answers a client that ends its side of the connection with its request', async () => {
  const cookie = await sessionCookie(gate);
  const { asked, answered } = holdStore();
  const { hostname, port } = new URL(gate.origin);
  const socket = connect(Number(port), hostname);
  const answer = text(socket);
  socket.end(raw('GET', '/half', [`Cookie: ${cookie}`]), 'latin1');
  await asked.promise;
  answered.resolve();
  expect(await answer).toMatch(/^HTTP\/1\.1 200 /);
});
