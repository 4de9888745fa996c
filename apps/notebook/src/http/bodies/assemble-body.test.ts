import { Readable } from 'node:stream';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { assembleBody, parseBodies } from './assemble-body.ts';

const bytesOf = (length: number, first = 0) => Buffer.from(Uint8Array.from({ length }, (_, at) => first + at));

describe('the pieces of a body', () => {
  it.each([[[3, 5, 1]], [[65_536, 65_536, 6_784]], [[1_048_576]], [[1_048_577]], [Array.from({ length: 50 }, () => 65_536)]])(
    'are put together in their order (%j)',
    async lengths => {
      const pieces = lengths.map((length, at) => bytesOf(length, at));
      const whole = Buffer.concat(pieces);
      expect((await assembleBody(pieces, whole.length)).equals(whole)).toBe(true);
    },
  );

  it('are copied a megabyte in a turn of the event loop, and let go of', async () => {
    const pieces = Array.from({ length: 64 }, () => bytesOf(65_536));
    const left: number[] = [];
    let isCopying = true;
    const look = (): void => {
      left.push(pieces.length);
      if (isCopying) setImmediate(look);
    };
    setImmediate(look);
    await assembleBody(pieces, 64 * 65_536);
    isCopying = false;
    // One piece is being copied.
    expect(left).toEqual([47, 31, 15]);
    expect(pieces).toEqual([]);
  });
});

describe('a parser of bodies', () => {
  const open = (maxBytes?: number, replace?: () => Readable) => {
    const app = Fastify({ bodyLimit: 1_000_000 });
    if (replace) app.addHook('preParsing', async () => replace());
    app.removeAllContentTypeParsers();
    parseBodies(app, 'text/x', (_, body) => body.toString('latin1').length, maxBytes);
    app.setErrorHandler((error: Error & { code?: string; statusCode?: number }, _, reply) =>
      reply.code(error.statusCode ?? 500).send(error.code ?? error.message),
    );
    app.post('/', async request => ({ received: request.body }));
    return async (payload: Readable | Buffer, length?: number) => {
      const headers = { 'content-type': 'text/x', ...(length !== undefined && { 'content-length': String(length) }) };
      const answer = await app.inject({ method: 'POST', url: '/', payload, headers });
      return [answer.statusCode, answer.headers.connection, answer.statusCode === 200 ? answer.json().received : answer.body];
    };
  };
  const inPieces = (...lengths: number[]) => Readable.from(lengths.map(length => bytesOf(length)));

  it('is given the whole', async () => {
    expect(await open()(bytesOf(1_000_000))).toEqual([200, 'keep-alive', 1_000_000]);
    expect(await open()(inPieces(600_000, 400_000))).toEqual([200, 'keep-alive', 1_000_000]);
    expect(await open()(inPieces(), 0)).toEqual([200, 'keep-alive', 0]);
  });

  it('is given nothing longer than the server allows, or than it takes itself', async () => {
    const tooLarge = [413, 'close', 'FST_ERR_CTP_BODY_TOO_LARGE'];
    expect(await open()(bytesOf(1_000_001))).toEqual(tooLarge);
    expect(await open()(inPieces(600_000, 400_001))).toEqual(tooLarge);
    expect(await open(100)(bytesOf(100))).toEqual([200, 'keep-alive', 100]);
    expect(await open(100)(bytesOf(101))).toEqual(tooLarge);
    expect(await open(100)(inPieces(50, 51))).toEqual(tooLarge);
  });

  it('is given nothing that promises too much: it is refused before it comes', async () => {
    const never = new Readable({ read: () => {} });
    expect(await open()(never, 1_000_001)).toEqual([413, 'close', 'FST_ERR_CTP_BODY_TOO_LARGE']);
  });

  it('is given what was paused on its way', async () => {
    expect(await open(undefined, () => inPieces(3, 4).pause())(bytesOf(7))).toEqual([200, 'keep-alive', 7]);
  });

  it.each([
    ['is read', [bytesOf(400_000), null], 200],
    ['is too large, and does not end', [bytesOf(1_000_001)], 413],
  ])('takes nothing more of a body that %s', async (_, arriving, status) => {
    const body = new Readable({ read: () => {} });
    const listening = () => ['data', 'end', 'error'].map(event => body.listenerCount(event));
    const before = listening();
    for (const piece of arriving) body.push(piece);
    const answer = await open(undefined, () => body)(inPieces());
    expect([answer[0], listening()]).toEqual([status, before]);
  });

  it.each([399_999, 400_001])('is given nothing of another length than was promised (%d)', async promised => {
    expect(await open()(inPieces(200_000, 200_000), promised)).toEqual([400, 'close', 'FST_ERR_CTP_INVALID_CONTENT_LENGTH']);
  });

  it('is given nothing that broke on its way: the sender is told', async () => {
    async function* breaking(error: Error) {
      yield bytesOf(10);
      throw error;
    }
    const send = async (error: Error) => open(undefined, () => Readable.from(breaking(error)))(bytesOf(20));
    expect(await send(new Error('broken'))).toEqual([400, 'close', 'broken']);
    expect(await send(Object.assign(new Error('later'), { statusCode: 503 }))).toEqual([503, 'close', 'later']);
    expect(await send(Object.assign(new Error('not well'), { statusCode: 200 }))).toEqual([400, 'close', 'not well']);
  });
});
