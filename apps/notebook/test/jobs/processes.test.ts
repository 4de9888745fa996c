import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, engines } from '../support/engines.ts';
import { oneFile } from '../support/one-file.ts';

const program = new URL('process.ts', import.meta.url);

describe.each(engines)('processes that share one $name database', engine => {
  let database: Database;
  let folder: string;
  let running: ReturnType<typeof spawn>[];

  beforeEach(async () => {
    database = await engine.createDatabase();
    folder = mkdtempSync(join(tmpdir(), 'octavo-jobs-'));
    running = [];
  });
  afterEach(() => {
    for (const child of running) child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
    database.remove();
  });

  async function startProcess(mode: 'finish' | 'hang' = 'finish') {
    const child = spawn(process.execPath, [await oneFile(program), database.url, join(folder, 'runs'), mode], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    running.push(child);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const nextLine = async () => String((await lines.next()).value);
    if ((await nextLine()) !== 'ready') throw new Error('the process did not start');
    return {
      tell: (due: number, aheadMs = 0) => child.stdin.write(`${due} ${aheadMs}\n`),
      answer: async () => JSON.parse(await nextLine()) as { due: number; ran: number },
      async kill() {
        child.kill('SIGKILL');
        await once(child, 'exit');
      },
    };
  }
  const readRuns = () => readFileSync(join(folder, 'runs'), 'utf8').trim().split('\n');

  it('do each run exactly once', async () => {
    const processes = await Promise.all([startProcess(), startProcess(), startProcess()]);
    for (let due = 1; due <= 60; due++) {
      for (const each of processes) each.tell(due);
      const answers = await Promise.all(processes.map(each => each.answer()));
      expect(answers.map(({ ran }) => ran).reduce((sum, ran) => sum + ran)).toBe(1);
    }
    const dues = readRuns().map(line => Number(line.split(' ')[0]));
    expect(dues).toEqual(Array.from({ length: 60 }, (_, at) => at + 1));
  });

  it('take a run over from one that was killed in the middle of it', async () => {
    const [doomed, other] = await Promise.all([startProcess('hang'), startProcess()]);
    doomed.tell(1);
    await expect.poll(() => readRuns().length, { timeout: 10_000 }).toBe(1);
    const tryAgain = (aheadMs: number) => {
      other.tell(1, aheadMs);
      return other.answer();
    };
    expect(await tryAgain(0)).toEqual({ due: 1, ran: 0 });
    await doomed.kill();
    // Its minute is not over, and then it is.
    expect(await tryAgain(0)).toEqual({ due: 1, ran: 0 });
    expect(await tryAgain(60_000)).toEqual({ due: 1, ran: 1 });
    expect(readRuns()).toHaveLength(2);
  });
});
