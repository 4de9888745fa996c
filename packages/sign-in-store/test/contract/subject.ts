import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect } from 'vitest';
import { type NewSession, openStore, type SignInStore, type StoreLimits } from '../../src/index.ts';
import type { TestDatabase } from '../support/databases.ts';

/** One engine's database, and stores on it that go by one clock. */
export interface Subject {
  /** Milliseconds since 1970, for every store of the subject. */
  clock: number;
  readonly address: string;
  /** One more store on the same database, as another process has. */
  readonly open: (limits?: Partial<StoreLimits>) => Promise<SignInStore>;
  /** So many seconds from now. */
  readonly at: (seconds: number) => Date;
  readonly session: (more?: Partial<NewSession>) => NewSession;
}

/** The database is there once `beforeAll` has run. */
export function openSubject(openDatabase: () => Promise<TestDatabase>): Subject {
  let database: TestDatabase;
  const stores: SignInStore[] = [];

  beforeAll(async () => {
    database = await openDatabase();
  });
  afterAll(async () => {
    for (const store of stores) await store.close();
    await database?.[Symbol.asyncDispose]();
  });

  const at = (seconds: number): Date => new Date(subject.clock + seconds * 1000);
  const subject: Subject = {
    clock: Date.parse('2026-06-01T12:00:00Z'),
    get address() {
      return database.address;
    },
    async open(limits = {}) {
      const store = await openStore(database.address, { limits, now: () => new Date(subject.clock) });
      stores.push(store);
      return store;
    },
    at,
    session: (more = {}) => ({
      id: randomUUID(),
      issuer: `https://op.example/${randomUUID()}`,
      subject: 'ada',
      providerSession: randomUUID(),
      signedInAt: at(0),
      idleSeconds: 3600,
      expiresAt: at(28_800),
      value: '{"name":"Ada"}',
      ...more,
    }),
  };
  return subject;
}

export const claimKey = (): string => `test:${randomUUID()}`;

/** The refusal of a handle that is in use. */
export const inUse = (name: string): unknown =>
  expect.objectContaining({
    code: 'STORE_INVALID',
    status: 500,
    message: expect.stringContaining(`this ${name} is already in use`),
  });
