import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { PipelinedRequests, stopParsingOnceClosed } from './pipelined-requests.ts';

// Over real connections: front-door.test.ts.

const nextTick = () => new Promise<void>(resolve => process.nextTick(resolve));

function connection() {
  const socket = {
    destroyed: false,
    destroy() {
      this.destroyed = true;
    },
  };
  const line = new PipelinedRequests();
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

it.each([
  ['none', {}],
  ['none any more', { parser: null }],
  ['one that reads nothing', { parser: { onIncoming: null } }],
])('a connection with a parser: %s: is left as it is', (_, socket) => {
  const before = structuredClone(socket);
  stopParsingOnceClosed(socket as Socket);
  expect(socket).toEqual(before);
});
