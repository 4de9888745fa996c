import type { TestDatabase } from '../support/databases.ts';
import { claimsContract } from './claims.ts';
import { logoutsContract } from './logouts.ts';
import { pendingContract } from './pending.ts';
import { recordsContract } from './records.ts';
import { refusalsContract } from './refusals.ts';
import { sessionsContract } from './sessions.ts';
import { openSubject } from './subject.ts';
import { upkeepContract } from './upkeep.ts';

/** Every promise of `SignInStore`, for any engine. Called inside of a `describe`. */
export function storeContract(openDatabase: () => Promise<TestDatabase>): void {
  const subject = openSubject(openDatabase);
  claimsContract(subject);
  pendingContract(subject);
  sessionsContract(subject);
  logoutsContract(subject);
  refusalsContract(subject);
  upkeepContract(subject);
  recordsContract(subject);
}
