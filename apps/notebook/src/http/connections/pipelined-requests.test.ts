import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { beginEnd } from './connection-ends.ts';
import { PipelinedRequests, stopParsingOnceClosed } from './pipelined-requests.ts';

// Over real connections: front-door.test.ts.

const nextTick = () => new Promise<void>(resolve => process.nextTick(resolve));

class Connection extends EventEmitter {
  destroyed = false;
  destroy(): void {
    this.destroyed = true;
  }
  pause(): void {}
}

function connection(line = new PipelinedRequests()) {
  const socket = new Connection();
  let begun = 0;
  return {
    socket,
    begun: () => begun,
    /** Behind another request: its answer gets the connection later. */
    enter() {
      const response = Object.assign(new EventEmitter(), { socket: null });
      const begin = () => {
        begun += 1;
      };
      line.enter({ socket } as unknown as IncomingMessage, response as unknown as ServerResponse, begin);
      return { isNext: () => void response.emit('socket') };
    },
  };
}

it('any number of requests may wait on one connection, one after the other', async () => {
  const { socket, enter, begun } = connection();
  for (let request = 0; request < 100; request++) {
    enter().isNext();
    await nextTick();
  }
  expect([begun(), socket.destroyed]).toEqual([100, false]);
});

it('a request whose turn comes in the moment that its connection ends does not begin', async () => {
  const { socket, enter, begun } = connection();
  enter().isNext();
  socket.destroy();
  await nextTick();
  expect(begun()).toBe(0);
});

it('on a connection that waits for its end nothing begins, nothing waits and nothing more is read', async () => {
  const line = new PipelinedRequests();
  const { socket, enter, begun } = connection(line);
  const first = enter();
  const read = () => 0;
  const parsed = Object.assign(socket, { parser: { onIncoming: read } });
  stopParsingOnceClosed(socket as unknown as Socket);
  expect(parsed.parser.onIncoming()).toBe(0);
  first.isNext();
  beginEnd(socket as unknown as Socket);
  await nextTick();
  const second = enter();
  expect(line.waitingOf(socket as unknown as Socket)).toBe(0);
  second.isNext();
  await nextTick();
  expect(begun()).toBe(0);
  expect(parsed.parser.onIncoming()).toBe(-1);
});

it('says how many wait on a connection', async () => {
  const line = new PipelinedRequests();
  const { socket, enter } = connection(line);
  const waiting = () => line.waitingOf(socket as unknown as Socket);
  expect(waiting()).toBe(0);
  const first = enter();
  enter();
  expect(waiting()).toBe(2);
  first.isNext();
  expect(waiting()).toBe(1);
});

it('1,024 wait on all connections together; one more ends its own, and room comes back when a connection ends', () => {
  const line = new PipelinedRequests();
  const full = Array.from({ length: 64 }, () => connection(line));
  for (const { enter } of full) for (let request = 0; request < 16; request++) enter();
  const late = connection(line);
  late.enter();
  expect([late.socket.destroyed, full.some(({ socket }) => socket.destroyed)]).toEqual([true, false]);
  full[0]!.socket.emit('close');
  const later = connection(line);
  for (let request = 0; request < 16; request++) later.enter();
  expect(later.socket.destroyed).toBe(false);
  const tooLate = connection(line);
  tooLate.enter();
  expect(tooLate.socket.destroyed).toBe(true);
});

it.each([
  ['none', {}],
  ['none any more', { parser: null }],
  ['one that reads nothing', { parser: { onIncoming: null } }],
])('a connection with a parser: %s: is left as it is', (_, socket) => {
  const before = structuredClone(socket);
  stopParsingOnceClosed(socket as Socket);
  expect(socket).toEqual(before);
});
