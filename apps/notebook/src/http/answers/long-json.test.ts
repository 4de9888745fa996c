import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { json, text } from 'node:stream/consumers';
import Fastify, { type FastifyReply } from 'fastify';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { countTimers } from '../../../../../tools/own-timers.ts';
import { limits } from '../../limits.ts';
import { findHeldBytes } from './held-answers.ts';
import { jsonPieces, sendJson, sendLongJson } from './long-json.ts';

describe('JSON in pieces', () => {
  const odd = '\u0001"\\\u2028é予🗓️\ud800 ';
  const joined = (value: object) => [...jsonPieces(value)].join('');

  it.each([
    ['nothing', {}],
    ['an empty list', []],
    ['what JSON has', { text: odd, count: 1.5, yes: true, none: null, list: [1, 'two', { three: 3 }, []], nested: { text: '' } }],
    ['what JSON leaves out', { there: 1, missing: undefined, list: [1, undefined] }],
    [
      'a text that is cut everywhere',
      { markdown: odd.repeat(10_000), title: '🗓'.repeat(20_000), shifted: `x${'🗓'.repeat(20_000)}` },
    ],
    ['the first and the last half of a pair at a cut', [`x${'\u{10000}'.repeat(20_000)}`, `x${'\u{103ff}'.repeat(20_000)}`]],
  ])('%s is what JSON.stringify makes', (_, value) => {
    expect(joined(value)).toBe(JSON.stringify(value));
  });

  it('comes in pieces that are made in a moment each', () => {
    const pieces = [...jsonPieces({ markdown: '\u0001'.repeat(1_048_576), items: Array.from({ length: 20_000 }, () => 'a') })];
    expect(pieces.length).toBeGreaterThan(60);
    // Small parts are combined.
    expect(pieces.length).toBeLessThan(80);
    // Six characters for each, plus the text before them.
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(6 * 16_384 + 16_384);
  });

  it('has no empty piece at its end', () => {
    // With its quotes, it is exactly one piece long.
    expect([...jsonPieces('x'.repeat(16_382))].map(({ length }) => length)).toEqual([16_384]);
  });
});

describe('an answer in JSON', () => {
  /** The texts have 131,072 characters together. */
  const long = { text: 'x'.repeat(131_060), empty: null, count: 1_000_000, pages: [{ title: '12345' }, { title: '1234567' }] };
  const longer = { ...long, text: `${long.text}x` };

  async function ask(send: (reply: FastifyReply) => unknown) {
    const app = Fastify();
    let held: number | undefined;
    app.addHook('onSend', async (_request, _reply, payload) => {
      held = findHeldBytes(payload);
    });
    app.get('/', async (_, reply) => send(reply));
    const { headers, body } = await app.inject('/');
    return { type: headers['content-type'], length: headers['content-length'], body, held };
  }

  it('goes out whole up to so many characters of text, and past them in pieces that count as unread', async () => {
    const type = 'application/json; charset=utf-8';
    const whole = JSON.stringify(long);
    expect(await ask(reply => sendJson(reply, long))).toEqual({ type, length: `${whole.length}`, body: whole, held: undefined });
    const inPieces = { type, length: undefined, body: JSON.stringify(longer), held: 131_073 };
    expect(await ask(reply => sendJson(reply, longer))).toEqual(inPieces);
  });

  it('in pieces has the type that its sender says', async () => {
    expect((await ask(reply => sendLongJson(reply, longer, 'application/problem+json'))).type).toBe('application/problem+json');
  });

  describe('in pieces', () => {
    let timersLeft: () => number;
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      timersLeft = countTimers('/http/answers/long-json.ts');
    });
    afterEach(() => {
      vi.useRealTimers();
    });

    function send(): Readable {
      let sent: Readable | undefined;
      const reply = {
        header: () => reply,
        send(stream: Readable) {
          sent = stream;
          return reply;
        },
      };
      sendLongJson(reply as unknown as FastifyReply, longer, 'application/json');
      return sent!;
    }

    it('ends when its reader takes too long', async () => {
      const answer = send();
      vi.advanceTimersByTime(limits.maxLargeReadSeconds * 1_000 - 1);
      expect(answer.destroyed).toBe(false);
      const read = text(answer);
      vi.advanceTimersByTime(1);
      await expect(read).rejects.toThrow('The client read the answer too slowly.');
    });

    it('keeps no timer once it is read', async () => {
      const answer = send();
      const closed = once(answer, 'close');
      expect(timersLeft()).toBe(1);
      expect(await json(answer)).toEqual(longer);
      await closed;
      expect(timersLeft()).toBe(0);
    });
  });
});
