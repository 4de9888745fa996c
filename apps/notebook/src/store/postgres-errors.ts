/** The answer to COMMIT never came: the transaction may or may not stand, so trying again could do it twice. */
export class UncertainCommit extends Error {
  override readonly name = 'UncertainCommit';
  constructor(cause: unknown) {
    super('The connection to the database was lost during a commit.', { cause });
  }
}

// PostgreSQL's "Class 57" (the server ends the session) and "Class 08" (connection exception), and Node's names for a dead socket.
const lostCodes = new Set(['57P01', '57P02', '57P03', '08000', '08003', '08006', 'ECONNRESET', 'ECONNREFUSED', 'EPIPE']);

export function isLostConnection(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  // The driver gives these two no code.
  return lostCodes.has(code ?? '') || /^(Connection terminated|Client has encountered a connection error)/.test(message ?? '');
}

/** Serialization failure and deadlock: PostgreSQL has rolled the transaction back and expects it once more. */
const undoneCodes = new Set(['40001', '40P01']);

export function isUndone(error: unknown): boolean {
  return undoneCodes.has((error as { code?: string }).code ?? '');
}

export function isSafeToRepeat(error: unknown): boolean {
  return !(error instanceof UncertainCommit) && (isLostConnection(error) || isUndone(error));
}
