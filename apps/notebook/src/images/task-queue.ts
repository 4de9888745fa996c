import { type Turn, TurnQueue } from '../model/turn-queue.ts';
import type { TaskFailure, TaskProcess } from './task-process.ts';

export interface TaskQueueLimits {
  /** The limit for all waiting tasks together. Past it, a task of the client that sent most is turned away. */
  readonly waitingBytes: number;
  readonly waitingTasks: number;
}

interface Waiting<Task, Result> extends Turn {
  readonly task: Task;
  readonly resolve: (result: Result | TaskFailure | 'busy') => void;
  readonly reject: (error: unknown) => void;
}

/** Hands tasks to a process one after the other. The client that used least of its time goes first, however much it sent. */
export class TaskQueue<Task, Result extends object> {
  readonly #process: TaskProcess<Task, Result>;
  readonly #line: TurnQueue<Waiting<Task, Result>>;
  #taken = false;
  #closed = false;

  constructor(process: TaskProcess<Task, Result>, { waitingBytes, waitingTasks }: TaskQueueLimits) {
    this.#process = process;
    this.#line = new TurnQueue({ maxTurns: waitingTasks, maxBytes: waitingBytes });
  }

  /** `busy`: too many were waiting, so this task was turned away. */
  run(task: Task, bytes: number, client: string | undefined): Promise<Result | TaskFailure | 'busy'> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(closedError());
      const payers = client === undefined ? [] : [client];
      const leaving = this.#line.add({ task, payers, background: false, bytes: this.#taken ? bytes : 0, resolve, reject });
      for (const sentAway of leaving) sentAway.resolve('busy');
      this.#next();
    });
  }

  close(): void {
    this.#closed = true;
    for (const waiting of this.#line.clear()) waiting.reject(closedError());
    this.#process.close();
  }

  #next(): void {
    const waiting = this.#taken || this.#closed ? undefined : this.#line.take();
    if (!waiting) return;
    this.#taken = true;
    const started = performance.now();
    this.#process
      .run(waiting.task)
      .then(waiting.resolve, waiting.reject)
      .finally(() => {
        this.#line.charge(waiting, performance.now() - started);
        this.#taken = false;
        this.#next();
      });
  }
}

const closedError = () => new Error('the line is closed');
