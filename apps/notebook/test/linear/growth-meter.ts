import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { oneFile } from '../support/one-file.ts';
import type { Measurement } from './find-grown.ts';

/** Until a process on a busy machine has loaded all functions and begun. */
const startMillis = 20_000;

/**
 * Measures one function after the other in a process. If a function does not come back from a text, the process is ended, and the
 * answer names the text: in the test's own thread such a function would keep every test from failing.
 */
export class GrowthMeter {
  readonly #silentMillis: number;
  #process: ChildProcess | undefined;
  #begun = '';
  #millis = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param silentMillis how long one text may take, in all sizes */
  constructor(silentMillis: number) {
    this.#silentMillis = silentMillis;
  }

  /**
   * @param silentMillis for a measurement that may take another time
   * @returns the texts on which the work grows much faster than they do, a sentence each
   */
  async findGrown(measurement: Measurement, silentMillis = this.#silentMillis): Promise<string[]> {
    this.#process ??= await this.#start();
    const child = this.#process;
    const ended = new AbortController();
    try {
      this.#begun = 'start';
      this.#millis = silentMillis;
      this.#allowTime(child, Math.max(silentMillis, startMillis));
      child.send(measurement);
      const exit = once(child, 'exit', { signal: ended.signal });
      const answer = once(child, 'message', { signal: ended.signal });
      return await Promise.race([
        answer.then(([grown]) => grown as string[]),
        exit.then(() => [`${this.#begun} was not measured within ${silentMillis} ms`]),
      ]);
    } finally {
      clearTimeout(this.#timer);
      ended.abort();
      if (child.exitCode !== null || child.signalCode !== null) this.#process = undefined;
    }
  }

  close(): void {
    this.#process?.kill('SIGKILL');
  }

  async #start(): Promise<ChildProcess> {
    const program = await oneFile(new URL('./growth-process.ts', import.meta.url));
    const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
    const stopAtExit = () => child.kill('SIGKILL');
    process.once('exit', stopAtExit);
    child.once('exit', () => process.off('exit', stopAtExit));
    let written = '';
    child.stdout!.setEncoding('utf8').on('data', (piece: string) => {
      const lines = (written + piece).split('\n');
      written = lines.pop()!;
      if (lines.length === 0) return;
      this.#begun = JSON.parse(lines.at(-1)!);
      this.#allowTime(child, this.#millis);
    });
    return child;
  }

  #allowTime(child: ChildProcess, millis: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => child.kill('SIGKILL'), millis);
  }
}
