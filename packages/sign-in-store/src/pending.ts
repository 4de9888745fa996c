import { type Engine, type Row, type Steps, sql } from './engine.ts';
import { StoreError } from './errors.ts';
import { hashKey, requireHandle, requireUnused } from './keys.ts';
import type { StoreLimits } from './limits.ts';
import { requireInstant, requireText } from './requirements.ts';
import type { PendingEntry } from './store.ts';

/**
 * Keeps a pending sign-in and drops those above a limit, oldest first: of this browser, of this source, then of all. Refusing new
 * ones instead would let a flood of anonymous requests lock everybody out.
 */
export async function keepPending(engine: Engine, limits: StoreLimits, now: number, entry: PendingEntry): Promise<void> {
  const size = Buffer.byteLength(requireText(entry.value, 'value'));
  if (size > limits.maxPendingBytes)
    throw new StoreError(
      'STORE_INVALID',
      `a pending sign-in may hold at most ${limits.maxPendingBytes} bytes; this one has ${size}`,
    );
  const handle = hashKey(requireHandle(entry.handle, 'handle'));
  const browser = hashKey(requireHandle(entry.browser, 'browser'));
  const expires = requireInstant(entry.expiresAt, 'expiresAt');
  const source = entry.source === undefined ? '' : hashKey(entry.source);
  await engine.transact({ name: 'sign-in-store: pending' }, function* (): Steps<void> {
    const kept = yield sql(
      `INSERT INTO sign_in_pending (handle, browser, source, started_at, expires_at, size, value) VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (handle) DO NOTHING RETURNING handle`,
      handle,
      browser,
      source,
      now,
      expires,
      size,
      entry.value,
    );
    requireUnused(kept, 'handle');
    yield* dropOldest('browser', browser, limits.maxPendingPerBrowser);
    if (source !== '') yield* dropOldest('source', source, limits.maxPendingPerSource);
    yield* dropOverflow(limits);
  });
}

function* dropOldest(column: 'browser' | 'source', value: string, most: number): Steps<void> {
  yield sql(
    `DELETE FROM sign_in_pending WHERE handle IN (
      SELECT handle FROM sign_in_pending WHERE ${column} = ? ORDER BY started_at DESC, handle LIMIT 1000 OFFSET ${Number(most)})`,
    value,
  );
}

/** Drops entries until the total number and bytes are within the limits. Looks for the oldest only when one is exceeded. */
function* dropOverflow(limits: StoreLimits): Steps<void> {
  const [sum] = yield sql('SELECT count(*) AS rows, sum(size) AS bytes FROM sign_in_pending');
  let rows = Number(sum?.rows);
  let bytes = Number(sum?.bytes ?? 0);
  while (rows > limits.maxPending || bytes > limits.maxPendingBytesInAll) {
    const oldest: Row[] = yield sql('SELECT handle, size FROM sign_in_pending ORDER BY started_at, handle LIMIT 100');
    for (const row of oldest) {
      if (rows <= limits.maxPending && bytes <= limits.maxPendingBytesInAll) return;
      yield sql('DELETE FROM sign_in_pending WHERE handle = ?', row.handle);
      rows -= 1;
      bytes -= Number(row.size);
    }
  }
}

const ofBrowser = 'FROM sign_in_pending WHERE handle = ? AND browser = ? AND expires_at > ?';

/** A single statement: of two concurrent callers only one finds the row. */
export function takePending(engine: Engine, now: number, handle: string, browser: string): Promise<string | undefined> {
  return readPending(engine, `DELETE ${ofBrowser} RETURNING value`, now, handle, browser);
}

export function findPending(engine: Engine, now: number, handle: string, browser: string): Promise<string | undefined> {
  return readPending(engine, `SELECT value ${ofBrowser}`, now, handle, browser);
}

async function readPending(
  engine: Engine,
  statement: string,
  now: number,
  handle: string,
  browser: string,
): Promise<string | undefined> {
  // A value from outside may be anything; it is only used for the lookup.
  if (typeof handle !== 'string' || typeof browser !== 'string' || handle.length > 1024 || browser.length > 1024)
    return undefined;
  const [row] = await engine.run(sql(statement, hashKey(handle), hashKey(browser), now));
  return row === undefined ? undefined : String(row.value);
}
