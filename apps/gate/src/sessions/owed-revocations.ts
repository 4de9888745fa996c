import type { RecordStore } from '@octavo/sign-in-store';
import { limits } from '../limits.ts';
import type { Sealer } from './seal.ts';

/** A token of a session that is over: its provider still has to revoke it. */
export interface OwedRevocation {
  readonly id: string;
  readonly provider: string;
  readonly issuer: string;
  /** The person, as their provider names them. */
  readonly subjectKey: string;
  /** As little of the session's record as the provider's door needs. */
  readonly record: unknown;
  /** Milliseconds since 1970. Then nobody tries any more. */
  readonly until: number;
}

const kind = 'gate revocation';
const group = 'gate revocations';

/** The tokens that are still to be revoked, in the store: they outlive a process that ends too early and a provider that is out of reach. */
export class OwedRevocations {
  readonly #records: RecordStore;
  readonly #sealer: () => Sealer;

  constructor(records: RecordStore, sealer: () => Sealer) {
    this.#records = records;
    this.#sealer = sealer;
  }

  async keep(owed: OwedRevocation): Promise<void> {
    const { id, until } = owed;
    const value = this.#sealer().seal(JSON.stringify(owed), kind);
    const alias = personOf(owed);
    await this.#records.put({ kind, id, alias, group, value, expiresAt: new Date(until), most: limits.maxRevocationsOwed });
  }

  settle(id: string): Promise<void> {
    return this.#records.remove(kind, id);
  }

  /** Forgets those of a person. */
  async forgive(person: Pick<OwedRevocation, 'issuer' | 'subjectKey'>): Promise<void> {
    for (;;) {
      const found = await this.#records.findByAlias(kind, personOf(person));
      const owed = found && this.#open(found.value);
      if (owed === undefined) return;
      await this.settle(owed.id);
    }
  }

  /** Takes out all of them, each for one process alone: it must keep what it does not settle. Those of keys that are gone are lost. */
  async takeAll(): Promise<OwedRevocation[]> {
    const found = await this.#records.removeGroup(group);
    return found.flatMap(({ value }) => this.#open(value) ?? []);
  }

  #open(value: string): OwedRevocation | undefined {
    const text = this.#sealer().open(value, kind);
    return text === undefined ? undefined : (JSON.parse(text) as OwedRevocation);
  }
}

function personOf({ issuer, subjectKey }: Pick<OwedRevocation, 'issuer' | 'subjectKey'>): string {
  return JSON.stringify([issuer, subjectKey]);
}
