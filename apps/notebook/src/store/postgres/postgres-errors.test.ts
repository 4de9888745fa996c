import { describe, expect, it } from 'vitest';
import { DatabaseUnavailable } from '../database-unavailable.ts';
import { postgresFault, UncertainCommit } from './postgres-errors.ts';

const coded = (code: string) => Object.assign(new Error('told by the server'), { code });

describe('a fault of PostgreSQL', () => {
  it.each([
    ['disk full', coded('53100')],
    ['too many connections', coded('53300')],
    ['a shutdown', coded('57P01')],
    ['starting up', coded('57P03')],
    ['a statement out of its time', coded('57014')],
    ['a lock that nobody gave back', coded('55P03')],
    ['a server that only reads', coded('25006')],
    ['a failing disk', coded('58030')],
    ['a damaged index', coded('XX002')],
    ['a deadlock, three times', coded('40P01')],
    ['no connection', coded('ECONNREFUSED')],
    ['a connection that was cut', new Error('Connection terminated unexpectedly')],
    ['a pool without a free connection', new Error('timeout exceeded when trying to connect')],
    ['no answer', new Error('Query read timeout')],
  ])('is an outage: %s', (_, error) => {
    const fault = postgresFault(error, false);
    expect(fault).toBeInstanceOf(DatabaseUnavailable);
    expect(fault).toMatchObject({ status: 503, cause: error, uncertain: false, extras: { retryAfterSeconds: 5 } });
  });

  it.each([
    ['a syntax error', coded('42601')],
    ['a duplicate key', coded('23505')],
    ['a mistake of ours', new TypeError('no such thing')],
  ])('is none: %s', (_, error) => {
    expect(postgresFault(error, true)).toBe(error);
  });

  it('says when nobody knows whether a change stands', () => {
    const commit = postgresFault(new UncertainCommit(coded('ECONNRESET')), false) as DatabaseUnavailable;
    const alone = postgresFault(coded('ECONNRESET'), true) as DatabaseUnavailable;
    for (const { uncertain, extras } of [commit, alone]) {
      expect(uncertain).toBe(true);
      expect(extras.detail).toContain('It may or may not be saved');
    }
    expect((postgresFault(coded('53100'), true) as DatabaseUnavailable).uncertain).toBe(false);
  });
});
