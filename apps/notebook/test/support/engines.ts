import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { createDatabase } from './postgres.ts';

export interface Database {
  readonly url: string;
  remove(): void;
}

export interface Engine {
  readonly name: 'SQLite' | 'PostgreSQL';
  /** A fresh, empty database. */
  readonly createDatabase: () => Promise<Database>;
}

/** Every engine the service runs on; `describe.each(engines)` proves a rule on both. */
export const engines: readonly Engine[] = [
  {
    name: 'SQLite',
    createDatabase: async () => {
      const folder = mkdtempSync(join(tmpdir(), 'octavo-sqlite-'));
      return { url: `sqlite:${join(folder, 'octavo.db')}`, remove: () => rmSync(folder, { recursive: true, force: true }) };
    },
  },
  {
    name: 'PostgreSQL',
    createDatabase: async () => ({ url: await createDatabase(inject('postgresUrl')), remove: () => {} }),
  },
];

export const [sqlite, postgres] = engines as [Engine, Engine];
