import { DatabaseUnavailable } from '../database-unavailable.ts';

/** The answer to COMMIT never came: the transaction may have been committed, so a retry could apply it twice. */
export class UncertainCommit extends Error {
  override readonly name = 'UncertainCommit';
  constructor(cause: unknown) {
    super('The connection to the database was lost during a commit.', { cause });
  }
}

// PostgreSQL's "Class 57" (the server ends the session) and "Class 08" (connection exception), and Node's codes for a dead socket.
const lostCodes = new Set([
  ...['57P01', '57P02', '57P03', '57P05', '08000', '08001', '08003', '08004', '08006', '25P03'],
  ...['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT'],
]);

export function isLostConnection(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  // The driver gives these two no code.
  return lostCodes.has(code ?? '') || /^(Connection terminated|Client has encountered a connection error)/.test(message ?? '');
}

/** No answer in time, either from the server or while waiting for a pool connection. The driver gives these no code. */
export function isTimeout(error: unknown): boolean {
  const { message = '' } = error as { message?: string };
  return /^(timeout exceeded when trying to connect|timeout expired|Query read timeout)/.test(message);
}

/** The connection is no longer usable: it must not go back to the pool, and a ROLLBACK would only wait again. */
export function isBroken(error: unknown): boolean {
  return error instanceof UncertainCommit || isLostConnection(error) || isTimeout(error);
}

// Classes of https://www.postgresql.org/docs/current/errcodes-appendix.html whose cause is the server and not the statement: 08 connection,
// 53 insufficient resources (disk full, too many connections), 57 operator intervention (a shutdown, a statement timeout), 58 system error,
// XX corrupted; and single codes: a lock that was not released, a read-only server, a transaction that was undone three times.
const outage = /^(08|53|57|58|XX)|^(55P03|25006|25P03|40001|40P01)$/;

/** Turns a fault of the server into `DatabaseUnavailable`; any other error is returned as it is. */
export function postgresFault(error: unknown, changes: boolean): unknown {
  if (error instanceof UncertainCommit) return new DatabaseUnavailable(error, true);
  // A single statement is its own commit: without an answer, nobody knows whether it was applied.
  if (isBroken(error)) return new DatabaseUnavailable(error, changes);
  const { code } = error as { code?: string };
  return typeof code === 'string' && code.length === 5 && outage.test(code) ? new DatabaseUnavailable(error) : error;
}

/** Serialization failure and deadlock: PostgreSQL has rolled the transaction back and expects a retry. */
const rolledBackCodes = new Set(['40001', '40P01']);

export function isRolledBack(error: unknown): boolean {
  return rolledBackCodes.has((error as { code?: string }).code ?? '');
}

export function isSafeToRetry(error: unknown): boolean {
  return !(error instanceof UncertainCommit) && (isLostConnection(error) || isRolledBack(error));
}

/**
 * Whether a single statement can be sent again, because it surely changed nothing. PostgreSQL says in `where` that it was inside a
 * function: the session ended before the statement's commit began.
 */
export function isSafeToResend(error: unknown): boolean {
  const { where } = error as { where?: unknown };
  return isRolledBack(error) || (isLostConnection(error) && typeof where === 'string' && where.includes('PL/pgSQL function'));
}
