import { Readable } from 'node:stream';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { BodyBytes, parseBodies } from './whole-body.ts';

const bytesOf = (length: number, first = 0) => Buffer.from(Uint8Array.from({ length }, (_, at) => first + at));

describe('the bytes of a body', () => {
  it.each([
    [Number.NaN, [3, 5, 1]],
    [9, [3, 5, 1]],
    [400_000, [65_536, 65_536, 65_536, 65_536, 65_536, 65_536, 6_784]],
    [400_000, [400_000]],
    [262_144, [65_535, 1, 196_608]],
  ])('of a length of %d are all there, in their order', (expected, lengths) => {
    const bytes = new BodyBytes(expected);
    const pieces = lengths.map((length, at) => bytesOf(length, at));
    for (const piece of pieces) bytes.add(piece);
    expect(bytes.length).toBe(lengths.reduce((sum, length) => sum + length));
    expect(bytes.take().equals(Buffer.concat(pieces))).toBe(true);
  });

  it('are copied to their place as they arrive, once a quarter of a large body is there', () => {
    const bytes = new BodyBytes(400_000);
    const late = bytesOf(200_000);
    bytes.add(bytesOf(100_000));
    bytes.add(late);
    late.fill(255);
    bytes.add(bytesOf(100_000));
    const [, second] = [0, 100_000].map(at => bytes.take().subarray(at));
    expect(second!.subarray(0, 200_000).equals(bytesOf(200_000))).toBe(true);
  });

  it.each([
    [400_000, 99_999],
    [262_143, 262_142],
    [Number.NaN, 400_000],
  ])('of which little is there, or no more is known, cost no memory of their own (%d, %d)', (expected, there) => {
    const piece = bytesOf(there);
    const bytes = new BodyBytes(expected);
    bytes.add(piece);
    piece.fill(255);
    expect(bytes.take().equals(piece)).toBe(true);
  });

  it('are counted beyond what was promised, and not written there', () => {
    const bytes = new BodyBytes(300_000);
    bytes.add(bytesOf(200_000));
    bytes.add(bytesOf(200_000));
    expect(bytes.length).toBe(400_000);
    const tooMany = new BodyBytes(300_000);
    tooMany.add(bytesOf(400_000));
    expect(tooMany.take().length).toBe(400_000);
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
  });
});
