import { type App, createApp } from '../../src/app.ts';
import { createMemoryStore } from '../../src/objects/memory.ts';
import { createPasswords } from '../../src/operations/passwords.ts';
import { createStore } from '../../src/store/open-store.ts';
import type { Engine } from '../support/engines.ts';
import { testConfig, testStart } from '../support/notebook-app.ts';
import { shareRenderer } from '../support/shared-renderer.ts';
import { Gate } from './gate.ts';
import { type Server, serve } from './server.ts';

export interface Together {
  readonly servers: readonly Server[];
  readonly gate: Gate;
  readonly clock: { now: number };
  close(): Promise<void>;
}

/** One service, or several on one database, behind one gate. */
export async function startTogether(engine: Engine, count: number): Promise<Together> {
  const database = await engine.createDatabase();
  const config = testConfig(database.url);
  const gate = new Gate();
  const clock = { now: testStart };
  const memory = createMemoryStore({ now: () => clock.now });
  const apps: App[] = [];
  for (let at = 0; at < count; at++) {
    const store = gate.around(createStore(config.databaseUrl, { maxNotebookBytes: config.maxNotebookBytes }));
    const objects = gate.around(memory);
    apps.push(
      await createApp(config, { now: () => clock.now, renderer: shareRenderer(), passwords: createPasswords(4), store, objects }),
    );
  }
  return {
    servers: apps.map(app => serve({ ...app, clock })),
    gate,
    clock,
    close: async () => {
      for (const app of apps) await app.close();
      database.remove();
    },
  };
}
