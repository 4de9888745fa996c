import { OwnService } from './own-service.ts';

let kept: Promise<OwnService> | undefined;

/**
 * The built program on a database of its own, lent to one test file of this worker after another: starting it and warming it up costs more
 * than most files' requests do. It has the settings that tests have by default, and the notebooks of the files before. Nobody ends it: it
 * lasts as long as the worker.
 */
export async function borrowService(): Promise<OwnService> {
  kept ??= start();
  const service = await kept;
  if (await isThere(service)) return service;
  kept = undefined;
  return borrowService();
}

async function start(): Promise<OwnService> {
  // Vitest ends a worker this way: what a process started, it ends when it exits (service-process.ts).
  process.once('SIGTERM', () => process.exit());
  const service = await OwnService.start();
  process.once('exit', () => service.forget());
  return service;
}

const isThere = ({ origin }: OwnService): Promise<boolean> =>
  fetch(`${origin}/healthz`).then(
    answer => answer.ok,
    () => false,
  );
