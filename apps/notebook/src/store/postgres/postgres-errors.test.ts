import { describe, expect, it } from 'vitest';
import { DatabaseUnavailable } from '../database-unavailable.ts';
import {
  isBroken,
  isLostConnection,
  isRolledBack,
  isSafeToResend,
  isSafeToRetry,
  isTimeout,
  postgresFault,
  UncertainCommit,
} from './postgres-errors.ts';

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

describe('an error of PostgreSQL', () => {
  const lost = coded('ECONNRESET');
  const cut = new Error('Connection terminated unexpectedly');
  const broken = new Error('Client has encountered a connection error and is not queryable');
  const late = ['timeout exceeded when trying to connect', 'timeout expired', 'Query read timeout'].map(
    words => new Error(words),
  );
  const undone = ['40001', '40P01'].map(coded);
  const uncertain = new UncertainCommit(lost);
  const others = [coded('42601'), new Error('not: Connection terminated'), new Error('no Query read timeout'), new Error('')];
  const all = [lost, cut, broken, ...late, ...undone, uncertain, ...others, {}];
  const those = (is: (error: unknown) => boolean) => all.filter(is);

  it('is a lost connection, by its code or the driver’s words', () =>
    expect(those(isLostConnection)).toEqual([lost, cut, broken]));
  it('is a time-out, by the driver’s words', () => expect(those(isTimeout)).toEqual(late));
  it('spoils its connection', () => expect(those(isBroken)).toEqual([lost, cut, broken, ...late, uncertain]));
  it('tells of a transaction that was undone', () => expect(those(isRolledBack)).toEqual(undone));
  it('lets a transaction be tried again', () => expect(those(isSafeToRetry)).toEqual([lost, cut, broken, ...undone]));

  it('lets a statement be tried again only where it surely left nothing', () => {
    expect(those(isSafeToResend)).toEqual(undone);
    const inside = 'SQL statement "…"\nPL/pgSQL function save_pages(json) line 3';
    expect(isSafeToResend(Object.assign(coded('57P01'), { where: inside }))).toBe(true);
    expect(isSafeToResend(Object.assign(coded('57P01'), { where: 'elsewhere' }))).toBe(false);
    expect(isSafeToResend(Object.assign(coded('57P01'), { where: 3 }))).toBe(false);
    expect(isSafeToResend(Object.assign(coded('42601'), { where: inside }))).toBe(false);
  });

  it('keeps its cause when nobody knows whether the commit stands', () => {
    expect(uncertain).toMatchObject({
      name: 'UncertainCommit',
      cause: lost,
      message: 'The connection to the database was lost during a commit.',
    });
    expect(postgresFault(uncertain, false)).toMatchObject({ uncertain: true, cause: uncertain });
    expect(postgresFault(lost, true)).toMatchObject({ uncertain: true, cause: lost });
    expect(postgresFault(coded('53100'), true)).toMatchObject({ uncertain: false });
  });
});
