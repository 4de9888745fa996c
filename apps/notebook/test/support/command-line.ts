import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { runCommand } from '../../src/commands/run-command.ts';
import { type NotebookApp, startNotebookApp } from './notebook-app.ts';

const origin = 'http://localhost';

/** `octavo …` in this process, with a new home in each test, against a whole service whose answers a test may delay or lose. */
export class CommandLine {
  app!: NotebookApp;
  home = '';
  said: string[] = [];
  /** Where the service listens, for a test that has it listen. */
  address = '';
  /** Lets a test change what happens to an answer on its way. */
  onTheWay: (method: string, path: string, answer: () => Promise<Response>) => Promise<Response> = (_method, _path, answer) =>
    answer();

  octavo(name: string, ...args: string[]): Promise<number> {
    const print = (text: string) => this.said.push(text);
    return runCommand(name, args, { env: { HOME: this.home, OCTAVO_SERVER: origin }, print, complain: print });
  }

  at(name: string): string {
    return join(this.home, name);
  }

  write(name: string, text: string | Uint8Array): string {
    writeFileSync(this.at(name), text);
    return this.at(name);
  }

  /** The slug of the first notebook that was printed. */
  get slug(): string {
    return /\/n\/([a-z0-9-]+)/.exec(this.said.join())![1]!;
  }

  get token(): string {
    return /\/e\/([\w-]{43})/.exec(this.said.join())![1]!;
  }

  async pages(slug = this.slug): Promise<{ id: string; markdown: string }[]> {
    return (await this.app.ask('GET', `/api/notebooks/${slug}`)).json().pages;
  }

  /** Called by `fetch`. */
  async answer(url: string, { method = 'GET', headers = {}, body }: RequestInit = {}): Promise<Response> {
    const path = url.slice(origin.length);
    return this.onTheWay(method, path, async () => {
      const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : Buffer.from(body as Uint8Array) };
      const answer = await this.app.ask(method as 'GET', path, { headers: headers as Record<string, string>, ...sent });
      return new Response(answer.statusCode === 204 ? null : new Uint8Array(answer.rawPayload), {
        status: answer.statusCode,
        headers: { 'content-type': String(answer.headers['content-type']) },
      });
    });
  }
}

/** For use in one `describe`. */
export function useCommandLine(env: Record<string, string> = {}): CommandLine {
  const line = new CommandLine();
  const { onTheWay } = line;
  beforeAll(async () => {
    line.app = await startNotebookApp({ env });
  });
  afterAll(() => line.app.close());
  beforeEach(() => {
    line.home = mkdtempSync(join(tmpdir(), 'octavo-line-'));
    line.said = [];
    line.onTheWay = onTheWay;
    vi.stubGlobal('fetch', (url: string, init?: RequestInit) => line.answer(url, init));
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    rmSync(line.home, { recursive: true });
  });
  return line;
}
