import { type Engine, type Steps, sql } from './engine.ts';
import { StoreError } from './errors.ts';
import { hashKey, requireKey } from './keys.ts';
import type { StoreLimits } from './limits.ts';
import { requireCount, requireIndexedText, requireInstant, requireText } from './requirements.ts';
import type { NewRecord, RecordStore, StoredRecord } from './store.ts';

const columns = 'kind, group_key, value, expires_at, taken_at';

/**
 * Expiring records of a program's own, such as those of an OpenID provider built on this store. Ids are credentials, so only
 * their hash is stored.
 */
export function createRecordStore(engine: Engine, limits: StoreLimits, now: () => number): RecordStore {
  const toRecord = (row: Readonly<Record<string, string | number | null>>): StoredRecord => ({
    kind: String(row.kind),
    value: String(row.value),
    expiresAt: new Date(Number(row.expires_at)),
    ...(row.group_key === null ? {} : { group: String(row.group_key) }),
    ...(row.taken_at === null ? {} : { takenAt: new Date(Number(row.taken_at)) }),
  });
  const key = (kind: string, id: string): string => hashKey('record', requireKey(kind, 'record kind'), id);
  const find = async (where: string, ...values: string[]): Promise<StoredRecord | undefined> => {
    const [row] = await engine.run(
      sql(`SELECT ${columns} FROM sign_in_record WHERE ${where} AND expires_at > ?`, ...values, now()),
    );
    return row && toRecord(row);
  };
  return {
    put: async record => put(engine, limits, now(), record, key(record.kind, requireText(record.id, 'id'))),
    find: async (kind, id) => find('id = ?', key(kind, id)),
    findByAlias: (kind, alias) => find('alias = ? AND kind = ?', hashKey('alias', alias), kind),
    // A single statement: of two concurrent callers only one finds it untaken.
    async take(kind, id) {
      const rows = await engine.run(
        sql(
          'UPDATE sign_in_record SET taken_at = ? WHERE id = ? AND taken_at IS NULL AND expires_at > ? RETURNING id',
          now(),
          key(kind, id),
          now(),
        ),
      );
      return rows.length === 1;
    },
    async remove(kind, id) {
      await engine.run(sql('DELETE FROM sign_in_record WHERE id = ?', key(kind, id)));
    },
    async removeGroup(group) {
      const rows = await engine.run(sql(`DELETE FROM sign_in_record WHERE group_key = ? RETURNING ${columns}`, group));
      return rows.filter(row => Number(row.expires_at) > now()).map(toRecord);
    },
    async moveGroup(from, to) {
      await engine.run(sql('UPDATE sign_in_record SET group_key = ? WHERE group_key = ?', requireIndexedText(to, 'group'), from));
    },
  };
}

async function put(engine: Engine, limits: StoreLimits, now: number, record: NewRecord, id: string): Promise<void> {
  const size = Buffer.byteLength(requireText(record.value, 'value'));
  if (size > limits.maxRecordBytes)
    throw new StoreError('STORE_INVALID', `a record may hold at most ${limits.maxRecordBytes} bytes; this one has ${size}`);
  const statement = sql(
    `INSERT INTO sign_in_record (id, kind, group_key, alias, value, written_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET group_key = excluded.group_key, alias = excluded.alias, value = excluded.value,
        written_at = excluded.written_at, expires_at = excluded.expires_at`,
    id,
    record.kind,
    record.group === undefined ? undefined : requireIndexedText(record.group, 'group'),
    record.alias === undefined ? undefined : hashKey('alias', requireText(record.alias, 'alias')),
    record.value,
    now,
    requireInstant(record.expiresAt, 'expiresAt'),
  );
  const most = record.most === undefined ? undefined : requireCount(record.most, 'most');
  if (most === undefined) {
    await engine.run(statement);
    return;
  }
  await engine.transact({ name: `sign-in-store: records ${record.kind}` }, function* (): Steps<void> {
    yield statement;
    yield sql(
      `DELETE FROM sign_in_record WHERE id IN (
        SELECT id FROM sign_in_record WHERE kind = ? ORDER BY written_at DESC, id LIMIT 1000 OFFSET ${most})`,
      record.kind,
    );
  });
}
