import type { ChildProcess } from 'node:child_process';

/**
 * Waits until a process has written what `isThere` looks for, or has ended. It adds its listeners only once, however much is
 * written: `once` in a loop would leave listeners behind each time.
 * @returns whether it was written
 */
export function whenWritten(child: ChildProcess, isThere: () => boolean): Promise<boolean> {
  const streams = [child.stdout, child.stderr].filter(stream => stream !== null);
  return new Promise(resolve => {
    const settle = () => {
      child.off('exit', settle);
      for (const stream of streams) stream.off('data', look);
      resolve(isThere());
    };
    const look = () => {
      if (isThere()) settle();
    };
    for (const stream of streams) stream.on('data', look);
    child.on('exit', settle);
    if (child.exitCode !== null || child.signalCode !== null) settle();
    else look();
  });
}
