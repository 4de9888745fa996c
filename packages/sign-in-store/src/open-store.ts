import { StoreError } from './errors.ts';
import type { StoreLimits } from './limits.ts';
import { openPostgres } from './postgres.ts';
import { readLimits } from './requirements.ts';
import { createSqlStore } from './sql-store.ts';
import { openSqlite } from './sqlite.ts';
import type { SignInStore } from './store.ts';

export interface OpenStoreOptions {
  limits?: Partial<StoreLimits>;
  /** The maximum number of PostgreSQL connections. Default 10. */
  poolSize?: number;
  now?: () => Date;
}

/**
 * Opens the store and creates its tables if they do not exist.
 *
 * @param address `sqlite:PATH` for the processes of one machine, `postgres://…` for several machines
 * @throws {@link StoreError} `STORE_URL`, `STORE_INVALID` for an invalid limit, `STORE_UNAVAILABLE`, `STORE_NEWER`
 */
export async function openStore(address: string, options: OpenStoreOptions = {}): Promise<SignInStore> {
  // Checked before anything is open that would have to be closed again.
  readLimits(options.limits);
  if (/^sqlite:./.test(address)) return createSqlStore(openSqlite(address.slice('sqlite:'.length)), options);
  if (/^postgres(?:ql)?:\/\//.test(address) && URL.canParse(address))
    return createSqlStore(await openPostgres(address, options.poolSize), options);
  // The address may contain a password, so it is never repeated.
  throw new StoreError('STORE_URL');
}
