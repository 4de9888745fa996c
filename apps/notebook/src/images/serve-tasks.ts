import { lowerPriority } from '../own-program.ts';

export type TaskAnswer<Result> = { readonly result: Result; readonly rssBytes: number } | { readonly failed: string };

/**
 * The inside of a `TaskProcess`: answers one task after the other until the service is gone.
 * @param load returns the function that does the tasks; when it fails, the process reports that and ends
 */
export async function serveTasks<Task, Result>(load: () => Promise<(task: Task) => Promise<Result>>): Promise<void> {
  // The process that answers requests comes first when processors are busy; threads that start later inherit the priority.
  lowerPriority(10);

  // An interrupt at the terminal reaches every process of the group: the service ends this one when its last task is done.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
  process.on('disconnect', () => process.exit());

  const tell = (answer: TaskAnswer<Result> | 'ready') => process.send?.(answer);
  try {
    const work = await load();
    process.on('message', (task: Task) => {
      work(task).then(
        result => tell({ result, rssBytes: process.memoryUsage.rss() }),
        error => tell({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
      );
    });
    tell('ready');
  } catch (error) {
    process.stderr.write(`${error}\n`);
    process.exit(1);
  }
}
