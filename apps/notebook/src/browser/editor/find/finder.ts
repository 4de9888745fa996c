import { isMissing, missingPart } from '../../device/missing-part.ts';
import { trustWorkerUrl } from '../../device/trusted-types.ts';
import { FindFault, type Found, type Match, type Query } from './find-matches.ts';
import type { FindAnswer, FindRequest } from './find-worker.ts';
import workerUrl from './find-worker.ts?worker&url';

/** An expression could run practically forever, so the worker is ended after this time. */
const timeoutMilliseconds = 3_000;

type Asked = FindRequest extends infer Each ? (Each extends unknown ? Omit<Each, 'id'> : never) : never;

/** Finds in a worker, and ends it when an expression takes too long. */
export class Finder {
  #worker: Worker | undefined;
  #next = 1;
  readonly #waiting = new Map<number, (answer: FindAnswer) => void>();

  /** @throws FindFault */
  find(text: string, query: Query): Promise<Found> {
    return this.#ask({ kind: 'find', text, query });
  }

  /** @throws FindFault */
  replaceAll(text: string, query: Query, words: string): Promise<{ text: string; count: number }> {
    return this.#ask({ kind: 'replace-all', text, query, words });
  }

  /** @throws FindFault */
  replacement(text: string, query: Query, words: string, match: Match): Promise<string | undefined> {
    return this.#ask({ kind: 'replace', text, query, words, match });
  }

  close(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const [id, tell] of this.#waiting) tell({ id, fault: '' });
    this.#waiting.clear();
  }

  async #ask<Result>(request: Asked): Promise<Result> {
    const id = this.#next++;
    const answer = await new Promise<FindAnswer>(resolve => {
      const timer = setTimeout(() => this.#giveUp(), timeoutMilliseconds);
      this.#waiting.set(id, told => {
        clearTimeout(timer);
        resolve(told);
      });
      this.#start().postMessage({ ...request, id } satisfies FindRequest);
    });
    if (answer.fault !== undefined) throw new FindFault(answer.fault);
    return answer.result as Result;
  }

  #start(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(trustWorkerUrl(workerUrl), { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<FindAnswer>) => {
      this.#waiting.get(data.id)?.(data);
      this.#waiting.delete(data.id);
    });
    worker.addEventListener('error', event => this.#fail(isMissing(event) ? missingPart : 'The search could not run.'));
    this.#worker = worker;
    return worker;
  }

  #giveUp(): void {
    this.#fail('This expression takes too long. Try a simpler one.');
  }

  #fail(fault: string): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const [id, tell] of this.#waiting) tell({ id, fault });
    this.#waiting.clear();
  }
}
