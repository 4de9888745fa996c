import { afterEach, beforeEach, vi } from 'vitest';
import type { ApiPage } from '../../src/api/types.ts';
import { ApiProblem, NoConnection } from '../../src/browser/api/api-client.ts';
import * as merging from '../../src/browser/merge/merging.ts';
import { Autosave } from '../../src/browser/session/autosave.ts';
import type { AutosaveParts, SaveRequest, UnsavedText } from '../../src/browser/session/save-state.ts';

export const refusal = (status: number, body: object = {}, headers: Record<string, string> = {}) =>
  new ApiProblem(new Response('', { status, headers }), body as Record<string, unknown>);

/** A page on a server: keeps what it is sent, refuses what is stale, and can be told to fail. */
class Server {
  page: ApiPage = { id: 'p', title: 'Page', markdown: 'first', revision: 1, updatedAt: '' };
  readonly requests: SaveRequest[] = [];
  fault: ((request: SaveRequest) => void) | undefined;
  /** Keeps the text and loses the answer. */
  losesAnswers = false;
  delay = 0;

  readonly send = async (request: SaveRequest): Promise<ApiPage> => {
    this.requests.push(request);
    if (this.delay > 0) await new Promise(resolve => setTimeout(resolve, this.delay));
    this.fault?.(request);
    if (request.baseRevision !== this.page.revision) throw refusal(412, { page: this.page });
    this.page = { ...this.page, markdown: request.markdown, revision: this.page.revision + 1 };
    if (this.losesAnswers) throw new NoConnection('lost');
    return this.page;
  };
}

/** One page being written, its server, and everything that the saver told of itself. */
export class AutosaveSetup {
  server!: Server;
  draft: UnsavedText | undefined;
  merges!: number;
  refusals!: unknown[];
  rooms!: number;
  states!: string[];
  saver!: Autosave;

  /** Cleared before each test of the file, with the clock in the test's hand. */
  static forEachTest(): AutosaveSetup {
    const setup = new AutosaveSetup();
    beforeEach(() => {
      vi.useFakeTimers();
      setup.#clear();
    });
    afterEach(() => {
      setup.saver.stop();
      vi.useRealTimers();
    });
    return setup;
  }

  #clear(): void {
    this.server = new Server();
    this.draft = undefined;
    this.merges = 0;
    this.refusals = [];
    this.rooms = 0;
    this.states = [];
    this.open();
  }

  /** Again, as a new window would. */
  open(page: { markdown: string; revision: number } = this.server.page, parts: Partial<AutosaveParts> = {}): void {
    this.saver = new Autosave(page, { ...this.#parts(), ...parts });
  }

  #parts(): AutosaveParts {
    return {
      send: this.server.send,
      keepDraft: kept => {
        this.draft = kept;
      },
      onState: state => this.states.push(state.kind),
      onMerged: () => {
        this.merges += 1;
      },
      onRefused: problem => this.refusals.push(problem),
      onSpaceFreed: () => {
        this.rooms += 1;
      },
      loadMerging: async () => merging,
      now: Date.now,
    };
  }
}

export const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000);
