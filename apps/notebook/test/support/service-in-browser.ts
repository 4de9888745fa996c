import type { Browser } from 'playwright-core';
import { launchChromium } from './browser.ts';
import { borrowService } from './lent-service.ts';
import { OwnService } from './own-service.ts';
import type { Made, ServiceProcess } from './service-process.ts';

/** The built program on a database, with a browser beside it. */
export class ServiceInBrowser {
  readonly browser: Browser;
  readonly #own: OwnService;
  readonly #isLent: boolean;
  #isEnded = false;

  private constructor(own: OwnService, browser: Browser, isLent: boolean) {
    this.#own = own;
    this.browser = browser;
    this.#isLent = isLent;
  }

  /** With the worker's service: for tests that neither end it nor count what all its notebooks are. */
  static async borrow(launch: () => Promise<Browser> = launchChromium): Promise<ServiceInBrowser> {
    return new ServiceInBrowser(await borrowService(), await launch(), true);
  }

  static async start(
    launch: () => Promise<Browser> = launchChromium,
    env: Record<string, string> = {},
  ): Promise<ServiceInBrowser> {
    const own = await OwnService.start(env);
    try {
      return new ServiceInBrowser(own, await launch(), false);
    } catch (problem) {
      await own.close();
      throw problem;
    }
  }

  get service(): ServiceProcess {
    return this.#own.process;
  }

  get origin(): string {
    return this.#own.origin;
  }

  create(body: object): Promise<Made> {
    return this.#own.create(body);
  }

  /** Ends at once, like a machine that loses power. */
  async end(): Promise<void> {
    if (this.#isLent) throw new Error('A service that is lent is not ended');
    this.#isEnded = true;
    await this.service.kill('SIGKILL');
  }

  async startAgain(): Promise<void> {
    await this.#own.startAgain();
    this.#isEnded = false;
  }

  /** Starts the service again if it was ended. */
  async beThere(): Promise<void> {
    if (this.#isEnded) await this.startAgain();
  }

  async close(): Promise<void> {
    await this.browser.close();
    if (!this.#isLent) await this.#own.close();
  }
}
