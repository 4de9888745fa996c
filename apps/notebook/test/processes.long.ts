import { describe, it } from 'vitest';
import { engines } from './support/engines.ts';
import { keepThroughKills } from './support/killed-saves.ts';

const kills = Number(process.env.PROCESS_KILLS ?? 300);

describe.each(engines)('the built program on $name', engine => {
  it(`keeps every acknowledged save through ${kills} SIGKILLs`, async () => {
    const database = await engine.createDatabase();
    await keepThroughKills(database.url, kills).finally(() => database.remove());
  });
});
