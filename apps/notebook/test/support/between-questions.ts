import { createStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import type { Engine } from './engines.ts';
import { type NotebookApp, type StartOptions, startNotebookApp } from './notebook-app.ts';

/** Does something once, before the service's next question to its database but some. */
export class BetweenQuestions {
  happens: (() => Promise<unknown>) | undefined;
  /** How many questions until then, that one included. */
  questions = 0;

  /** A service that asks its database through this. */
  async start(engine: Engine, overrides: StartOptions['overrides'] = {}): Promise<NotebookApp> {
    let url = '';
    const noted: Engine = {
      ...engine,
      async createDatabase() {
        const database = await engine.createDatabase();
        url = database.url;
        return database;
      },
    };
    const store = () => this.#around(createStore(url));
    return startNotebookApp({
      engine: noted,
      overrides: {
        ...overrides,
        // Read when the database is there.
        get store() {
          return store();
        },
      },
    });
  }

  #around(store: Store): Store {
    return new Proxy(store, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          const { happens } = this;
          if (happens && --this.questions === 0) {
            this.happens = undefined;
            await happens();
          }
          return Reflect.apply(value, target, args);
        };
      },
    });
  }
}
