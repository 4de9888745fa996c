import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DatabaseUnavailable } from './database-unavailable.ts';
import { serveRequests } from './serve-requests.ts';

const port = Object.assign(new EventEmitter(), { postMessage: vi.fn(), close: vi.fn() });
const { parentPort } = threads;
beforeEach(() => {
  Object.assign(threads, { parentPort: port });
  syncBuiltinESMExports();
});
afterEach(() => {
  Object.assign(threads, { parentPort });
  syncBuiltinESMExports();
  port.removeAllListeners();
  vi.resetAllMocks();
});

const request = (number: number, what: unknown) => port.emit('message', { number, request: what });
const nextTurn = () => new Promise(resolve => setImmediate(resolve));
const said = () => port.postMessage.mock.calls.map(([answer]) => answer);

describe('the other end of a thread', () => {
  it('handles one request after the other, tells of each, and ends when it is told to', async () => {
    const done: string[] = [];
    const first = Promise.withResolvers<string>();
    serveRequests<string>({
      handle: what => {
        done.push(`obeys ${what}`);
        return what === 'one' ? first.promise : what;
      },
      onArrival: () => done.push('begins'),
      onAnswered: () => done.push('answered'),
      close: async () => {
        await nextTurn();
        expect(port.close).not.toHaveBeenCalled();
        done.push('closed');
      },
    });
    request(1, 'one');
    request(2, 'two');
    request(0, 'end');
    await nextTurn();
    expect([done, said()]).toEqual([['begins', 'begins', 'begins', 'obeys one'], []]);
    first.resolve('the first');
    await vi.waitFor(() => expect(port.close).toHaveBeenCalledTimes(1));
    expect(done.slice(3)).toEqual(['obeys one', 'answered', 'obeys two', 'answered', 'closed']);
    expect(said()).toEqual([
      { number: 1, result: 'the first' },
      { number: 2, result: 'two' },
    ]);
  });

  it('tells what a request threw: of an outage what SQLite said, of a lost index its id, and whether it may be written', async () => {
    const disk = Object.assign(new Error('disk I/O error'), { errcode: 10 });
    const lost = Object.assign(new Error('The text index is lost.', { cause: disk }), { lostIndex: 'an id' });
    const failures: unknown[] = [new Error('plain'), disk, new DatabaseUnavailable(disk), lost, new DatabaseUnavailable('?')];
    failures.push(new DatabaseUnavailable(new Error('EMFILE'), true));
    serveRequests<number>({
      handle: at => {
        throw failures[at];
      },
      close: () => {},
    });
    for (const at of failures.keys()) request(at, at);
    await nextTurn();
    expect(said()).toEqual([
      { number: 0, failed: { message: 'plain' } },
      { number: 1, failed: { message: 'disk I/O error', errcode: 10 } },
      { number: 2, failed: { message: 'disk I/O error', errcode: 10, uncertain: false } },
      { number: 3, failed: { message: 'The text index is lost.', lostIndex: 'an id' } },
      { number: 4, failed: { message: (failures[4] as Error).message, uncertain: false } },
      { number: 5, failed: { message: 'EMFILE', uncertain: true } },
    ]);
  });

  it('goes on after one that failed', async () => {
    serveRequests<string>({ handle: what => (what === 'bad' ? Promise.reject(new Error('no')) : what), close: () => {} });
    request(1, 'bad');
    request(2, 'good');
    await nextTurn();
    expect(said()).toEqual([
      { number: 1, failed: { message: 'no' } },
      { number: 2, result: 'good' },
    ]);
  });
});
