import type { Browser } from 'playwright-core';
import { launchChromium } from '../support/browser.ts';
import { OwnService } from '../support/own-service.ts';
import type { Made } from '../support/service-process.ts';
import { CutLine } from './cut-line.ts';

/**
 * The built program, and a browser with a line to it. Cutting the line costs nothing, where a killed program has to start again. One
 * browser context serves many tests: in a new one, the service worker would fetch the whole program first.
 */
export class ServiceOnLine {
  readonly browser: Browser;
  readonly #own: OwnService;
  readonly #line: CutLine;
  #isKilled = false;

  private constructor(browser: Browser, own: OwnService, line: CutLine) {
    this.browser = browser;
    this.#own = own;
    this.#line = line;
  }

  static async start(launch: () => Promise<Browser> = launchChromium): Promise<ServiceOnLine> {
    const line = await CutLine.open();
    const own = await OwnService.start({ OFFLINE: 'on', PUBLIC_URL: line.origin });
    const octavo = new ServiceOnLine(await launch(), own, line);
    octavo.lead(own.origin);
    return octavo;
  }

  get origin(): string {
    return this.#line.origin;
  }

  /** The address of the program itself, for what stands between. */
  get serviceOrigin(): string {
    return this.#own.origin;
  }

  /** The line ends there from now on. */
  lead(origin: string): void {
    this.#line.lead(Number(new URL(origin).port));
  }

  create(body: object): Promise<Made> {
    return this.#own.create(body);
  }

  /** No connection gets through, and those that are open end. */
  cut(): void {
    this.#line.cut();
  }

  mend(): void {
    this.#line.mend();
  }

  /** Ends at once, like a machine that loses power. */
  async kill(): Promise<void> {
    this.#isKilled = true;
    await this.#own.kill();
    await this.#line.close();
  }

  async startAgain(): Promise<void> {
    await this.#own.startAgain();
    await this.#line.reopen();
    this.#isKilled = false;
  }

  /** The service answers, whatever a test before has done. */
  async beThere(): Promise<void> {
    this.mend();
    this.lead(this.#own.origin);
    if (this.#isKilled) await this.startAgain();
  }

  async close(): Promise<void> {
    await this.browser.close();
    if (!this.#isKilled) await this.#line.close();
    await this.#own.close();
  }
}
