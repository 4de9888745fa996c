import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { limits } from '../../limits.ts';
import { recordHeldBytes } from '../answers/held-answers.ts';
import { refusalOf } from '../refusals.ts';
import { limitUnreadAnswers, UnreadAnswers } from './unread-answers.ts';

class Response extends EventEmitter {
  destroyed = false;
  destroy() {
    this.destroyed = true;
    this.emit('close');
    return this;
  }
}

const kilobytes = (count: number) => Buffer.alloc(count * 1_000);

describe('answers that lie ready', () => {
  function held(maxBytes: number, maxBytesPerClient = maxBytes) {
    const unread = new UnreadAnswers({ maxBytes: maxBytes * 1_000, maxBytesPerClient: maxBytesPerClient * 1_000 });
    const send = (client: number, answer: Buffer | string) => {
      const response = new Response();
      unread.add(`192.0.2.${client}`, response as unknown as ServerResponse, answer);
      return response;
    };
    return { unread, send };
  }

  it('count until they are read, when they are long', () => {
    const { unread, send } = held(1_000);
    const [one, other] = [send(1, kilobytes(100)), send(2, 'x'.repeat(70_000))];
    send(1, kilobytes(65));
    expect(unread.bytes).toBe(170_000);
    one.emit('close');
    expect(unread.bytes).toBe(70_000);
    other.emit('close');
    expect(unread.bytes).toBe(0);
    const [just] = [send(1, Buffer.alloc(65_536)), send(1, Buffer.alloc(65_535))];
    expect(unread.bytes).toBe(65_536);
    just!.emit('close');
    const gone = Object.assign(new Response(), { destroyed: true });
    unread.add('192.0.2.1', gone as unknown as ServerResponse, kilobytes(100));
    expect(unread.bytes).toBe(0);
  });

  it('past the bound cost the client with most of them its largest', () => {
    const { unread, send } = held(500);
    const all = [send(1, kilobytes(100)), send(1, kilobytes(200)), send(2, kilobytes(150)), send(3, kilobytes(100))];
    expect(all.map(({ destroyed }) => destroyed)).toEqual([false, true, false, false]);
    expect(unread.bytes).toBe(350_000);
  });

  it('that several read from the same memory count once, as long as one of them reads', () => {
    const { unread, send } = held(250);
    const same = kilobytes(100);
    const [first, second, third] = [send(1, same), send(2, same), send(3, same)];
    expect(unread.bytes).toBe(100_000);
    second!.emit('close');
    expect(unread.bytes).toBe(100_000);
    first!.emit('close');
    expect(unread.bytes).toBe(100_000);
    send(3, kilobytes(100));
    expect([unread.bytes, third!.destroyed]).toEqual([200_000, false]);
    third!.emit('close');
    expect(unread.bytes).toBe(100_000);
    const texts = [send(1, 'a'.repeat(70_000)), send(2, 'a'.repeat(70_000))];
    expect(unread.bytes).toBe(240_000);
    for (const text of texts) text.emit('close');
  });

  it('count anew when their memory is sent again', () => {
    const { unread, send } = held(250);
    const same = kilobytes(100);
    send(1, same).emit('close');
    send(2, same);
    expect(unread.bytes).toBe(100_000);
  });

  it('refuse only a client that has its share of them', () => {
    const { unread, send } = held(1_000, 300);
    const first = send(1, kilobytes(299));
    unread.requireAnswersRead('192.0.2.1');
    send(1, kilobytes(100));
    expect(() => unread.requireAnswersRead('192.0.2.1')).toThrow(
      expect.objectContaining({
        code: 'rate_limited',
        extras: { retryAfterSeconds: 2, detail: 'You have not read what you asked for before.' },
      }),
    );
    unread.requireAnswersRead('192.0.2.2');
    first.emit('close');
    unread.requireAnswersRead('192.0.2.1');
    send(1, kilobytes(200));
    expect(() => unread.requireAnswersRead('192.0.2.1')).toThrow();
  });
});

describe('answers of the framework', () => {
  it('that are made as they are read count with what they hold', async () => {
    const app = Fastify();
    const unread = limitUnreadAnswers(app, 'on');
    const counted: number[] = [];
    app.get('/made', async (_, reply) => {
      const made = new Readable({
        read() {
          counted.push(unread.bytes);
          this.push('made');
          this.push(null);
        },
      });
      recordHeldBytes(made, 100_000);
      return reply.send(made);
    });
    expect((await app.inject('/made')).body).toBe('made');
    expect([counted[0], unread.bytes]).toEqual([100_000, 0]);
  });

  it('that have no body, or hold nothing in memory, count nothing', async () => {
    const app = Fastify();
    const unread = limitUnreadAnswers(app, 'on');
    let counted: number | undefined;
    app.get('/none', async (_, reply) => reply.code(204).send());
    app.get('/file', async (_, reply) =>
      reply.send(
        new Readable({
          read() {
            counted = unread.bytes;
            this.push(null);
          },
        }),
      ),
    );
    expect([(await app.inject('/none')).statusCode, (await app.inject('/file')).statusCode]).toEqual([204, 200]);
    expect(counted).toBe(0);
  });

  it('go to a client that has not read others, where rates are not limited', async () => {
    const app = Fastify();
    const unread = limitUnreadAnswers(app, 'off');
    app.get('/', async () => 'well');
    unread.add('127.0.0.1', new Response() as unknown as ServerResponse, Buffer.alloc(limits.maxUnreadBytesPerClient));
    expect((await app.inject('/')).body).toBe('well');
  });
});

describe('a client that does not read', () => {
  let app: FastifyInstance;
  const open: net.Socket[] = [];
  afterEach(async () => {
    for (const socket of open.splice(0)) socket.destroy();
    await app.close();
  });

  it('is answered nothing more when it has its share unread, until it reads', async () => {
    app = Fastify();
    const unread = limitUnreadAnswers(app, 'on');
    app.setErrorHandler(async (error, _, reply) => reply.code(refusalOf(error as never)?.status ?? 500).send(''));
    app.get('/long', async () => Buffer.alloc(12_000_000));
    app.get('/text', async () => 'x'.repeat(12_000_000));
    app.get('/healthz', async () => 'well');
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    for (const path of ['/long', '/text', '/long']) {
      const { bytes } = unread;
      const socket = net.connect(port, '127.0.0.1', () => socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`));
      open.push(socket.pause());
      await expect.poll(() => unread.bytes).toBe(bytes + 12_000_000);
    }
    const status = async (path: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`);
      await answer.arrayBuffer();
      return answer.status;
    };
    expect([await status('/text'), await status('/healthz')]).toEqual([429, 200]);
    open[0]!.resume();
    await expect.poll(() => unread.bytes).toBe(24_000_000);
    expect(await status('/text')).toBe(200);
    expect(24_000_000).toBeLessThan(limits.maxUnreadBytesPerClient);
    open[1]!.destroy();
    await once(open[1]!, 'close');
    await expect.poll(() => unread.bytes).toBe(12_000_000);
  });
});
