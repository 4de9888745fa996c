import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { findOwnProgram } from '../own-program.ts';
import type { CheckAnswer } from './check-process.ts';
import type { ImageVerdict } from './image-checker.ts';

export interface CheckerProcessLimits {
  /** For one file. */
  readonly timeMillis: number;
  /** A process that has grown past it is not used again. */
  readonly memoryBytes: number;
  /** Without work for so long, the process ends and its memory is free. */
  readonly idleMillis: number;
}

const tooSlow = 'The file takes too long to decode.';
/** A decoder that crashes takes its own process with it, and nobody else. */
const crashed = 'The file has damaged pixels.';

/** One process that checks one file at a time; started when first needed, and anew after one had to be ended. */
export class CheckerProcess {
  readonly #limits: CheckerProcessLimits;
  #child: ChildProcess | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(limits: CheckerProcessLimits) {
    this.#limits = limits;
  }

  async check(file: Uint8Array): Promise<ImageVerdict> {
    clearTimeout(this.#idle);
    const child = this.#child ?? (await this.#start());
    const answer = await this.#ask(child, file);
    if (typeof answer === 'string') {
      this.#end();
      return { fault: answer };
    }
    if ('failed' in answer) throw new Error(`an image could not be checked: ${answer.failed}`);
    if (answer.rssBytes > this.#limits.memoryBytes) this.#end();
    this.#idle = setTimeout(() => this.#end(), this.#limits.idleMillis).unref();
    return answer.verdict;
  }

  close(): void {
    clearTimeout(this.#idle);
    this.#end();
  }

  async #start(): Promise<ChildProcess> {
    const child = fork(findOwnProgram('check-process', import.meta.url), [], {
      serialization: 'advanced',
      // Nothing of the service's environment is a decoder's business; fewer arenas keep less memory back.
      env: { MALLOC_ARENA_MAX: '2' },
      execArgv: ['--max-old-space-size=128'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const gone = new AbortController();
    child.once('exit', () => gone.abort(new Error('the process that checks images ended at its start')));
    await once(child, 'message', { signal: gone.signal });
    child.once('exit', () => {
      if (this.#child === child) this.#child = undefined;
    });
    // An idle process keeps nobody from leaving.
    child.unref();
    child.channel?.unref();
    this.#child = child;
    return child;
  }

  #end(): void {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  #ask(child: ChildProcess, file: Uint8Array): Promise<CheckAnswer | string> {
    return new Promise(resolve => {
      const settle = (answer: CheckAnswer | string) => {
        clearTimeout(timer);
        child.off('message', onMessage).off('exit', onExit).off('error', onExit);
        child.channel?.unref();
        resolve(answer);
      };
      const onMessage = (answer: unknown) => settle(answer as CheckAnswer);
      const onExit = () => settle(crashed);
      const timer = setTimeout(() => settle(tooSlow), this.#limits.timeMillis);
      child.channel?.ref();
      child.on('message', onMessage).on('exit', onExit).on('error', onExit);
      child.send(file, error => error && onExit());
    });
  }
}
