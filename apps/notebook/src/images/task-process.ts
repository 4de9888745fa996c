import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { findOwnProgram } from '../own-program.ts';
import type { TaskAnswer } from './serve-tasks.ts';

export interface ProcessLimits {
  /** For one task. */
  readonly timeMillis: number;
  /** For its start, which reads programs and typefaces from the disk. Default one minute. */
  readonly startMillis?: number;
  /** A process that has grown past this is not used again. */
  readonly memoryBytes: number;
  /** The process ends and its memory is freed after this long without work. */
  readonly idleMillis: number;
}

export interface TaskProgram {
  /** The name of the file beside this one that serves the tasks. */
  readonly name: string;
  /** Nothing else of the service's environment is passed on. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Why there is no result: the process was ended, or crashed. Only its own task is lost. */
export type TaskFailure = 'too slow' | 'crashed';

/** One process that does one task at a time; started when first needed, and again after it ended. */
export class TaskProcess<Task, Result extends object> {
  readonly #program: TaskProgram;
  readonly #limits: ProcessLimits;
  #child: ChildProcess | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(program: TaskProgram, limits: ProcessLimits) {
    this.#program = program;
    this.#limits = limits;
  }

  async run(task: Task): Promise<Result | TaskFailure> {
    clearTimeout(this.#idle);
    const child = this.#child ?? (await this.#start());
    const answer = await this.#ask(child, task);
    if (typeof answer === 'string') {
      this.#end();
      return answer;
    }
    this.#idle = setTimeout(() => this.#end(), this.#limits.idleMillis).unref();
    if ('failed' in answer) throw new Error(`${this.#program.name} failed: ${answer.failed}`);
    if (answer.rssBytes > this.#limits.memoryBytes) this.#end();
    return answer.result;
  }

  close(): void {
    clearTimeout(this.#idle);
    this.#end();
  }

  async #start(): Promise<ChildProcess> {
    const { name, env } = this.#program;
    const child = fork(findOwnProgram(name, import.meta.url), [], {
      serialization: 'advanced',
      // Fewer arenas hold on to less memory.
      env: { MALLOC_ARENA_MAX: '2', ...env },
      execArgv: ['--max-old-space-size=128'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    // Without a listener, an error while no task runs would end this process.
    child.on('error', () => {});
    // Known from here on, so that `close` ends it at its start, too.
    this.#child = child;
    child.once('exit', () => {
      if (this.#child === child) this.#child = undefined;
    });
    await this.#whenReady(child);
    // An idle process does not keep the service alive.
    child.unref();
    child.channel?.unref();
    return child;
  }

  /** @throws when it ends before it is ready, or hangs; then it is ended */
  async #whenReady(child: ChildProcess): Promise<void> {
    const { name } = this.#program;
    const gone = new AbortController();
    const onExit = () => gone.abort(new Error(`${name} ended at its start`));
    child.once('exit', onExit);
    const timer = setTimeout(() => gone.abort(new Error(`${name} did not start in time`)), this.#limits.startMillis ?? 60_000);
    try {
      await once(child, 'message', { signal: gone.signal });
    } catch (error) {
      this.#end();
      throw gone.signal.aborted ? gone.signal.reason : error;
    } finally {
      clearTimeout(timer);
      child.off('exit', onExit);
    }
  }

  #end(): void {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  #ask(child: ChildProcess, task: Task): Promise<TaskAnswer<Result> | TaskFailure> {
    return new Promise(resolve => {
      const settle = (answer: TaskAnswer<Result> | TaskFailure) => {
        clearTimeout(timer);
        child.off('message', onMessage).off('exit', onExit).off('error', onExit);
        child.channel?.unref();
        resolve(answer);
      };
      const onMessage = (answer: unknown) => settle(answer as TaskAnswer<Result>);
      const onExit = () => settle('crashed');
      const timer = setTimeout(() => settle('too slow'), this.#limits.timeMillis);
      child.channel?.ref();
      child.on('message', onMessage).on('exit', onExit).on('error', onExit);
      child.send(task as object, error => error && onExit());
    });
  }
}
