import { describe, it } from 'vitest';
import { killIndexers } from './killed-indexers.ts';
import { describeKilledSaves } from './killed-saves.ts';

describeKilledSaves(100);

describe('the file of the text index on SQLite', () => {
  it('fits the database again after each of 50 kills in the middle of indexing', { timeout: 600_000 }, async () => {
    await killIndexers(50);
  });
});
