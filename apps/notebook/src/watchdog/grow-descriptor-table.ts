import { closeSync, openSync, readFileSync } from 'node:fs';
import { devNull } from 'node:os';

/** The table grows by doubling: with a descriptor of this number it has room for 2,048. */
const highest = 1_024;

/**
 * Makes room for open files before connections need it. When Linux enlarges the table of a process with threads, the call that needed the
 * next descriptor waits until every processor has passed a quiescent state (`synchronize_rcu`): 50 to 300 ms under load, during which
 * `accept` blocked the event loop. The table never shrinks. Call this in a thread that nobody waits for. It does nothing if the process may
 * open too few files, or the system reports no limit.
 */
export function growDescriptorTable(): void {
  if (readLimit() < 2 * highest) return;
  const opened: number[] = [];
  try {
    do opened.push(openSync(devNull, 'r'));
    while (opened.at(-1)! < highest);
  } catch {
    // The table then grows when it has to.
  }
  for (const file of opened) closeSync(file);
}

function readLimit(): number {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return Number(soft ?? 0);
  } catch {
    return 0;
  }
}
