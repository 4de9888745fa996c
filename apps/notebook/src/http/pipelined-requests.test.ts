import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { PipelinedRequests, stopParsingOnceClosed } from './pipelined-requests.ts';

// Over real connections: front-door.test.ts.

const nextTick = () => new Promise<void>(resolve => process.nextTick(resolve));

class Connection extends EventEmitter {
  destroyed = false;
  destroy(): void {
    this.destroyed = true;
  }
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
