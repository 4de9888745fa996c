import type { Browser } from 'playwright-core';
import { launchChromium } from './browser.ts';
import { type Database, sqlite } from './engines.ts';
import { createThrough, type Made, type ServiceProcess, startService } from './service-process.ts';

/** The built program on a database of its own, and a browser beside it. */
export class ServiceInBrowser {
  service: ServiceProcess;
  readonly browser: Browser;
  readonly #database: Database;
  readonly #env: Record<string, string>;

  private constructor(service: ServiceProcess, browser: Browser, database: Database, env: Record<string, string>) {
    this.service = service;
    this.browser = browser;
    this.#database = database;
    this.#env = env;
  }

  static async start(
    launch: () => Promise<Browser> = launchChromium,
    more: Record<string, string> = {},
  ): Promise<ServiceInBrowser> {
    const database = await sqlite.createDatabase();
    const env = { DATABASE_URL: database.url, ...more };
    const service = await startService(env);
    try {
      return new ServiceInBrowser(service, await launch(), database, env);
    } catch (problem) {
      await service.kill();
      database.remove();
      throw problem;
    }
  }

  get origin(): string {
    return this.service.origin;
  }

  create(body: object): Promise<Made> {
    return createThrough(this.origin, body);
  }

  /** After it was killed: on the same port, with everything that was answered. */
  async startAgain(): Promise<void> {
    this.service = await startService({ ...this.#env, PORT: new URL(this.origin).port });
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.service.kill();
    this.#database.remove();
  }
}
