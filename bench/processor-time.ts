import { readdirSync, readFileSync } from 'node:fs';

/** Processor time of a process and its children so far, in microseconds; Linux counts in hundredths of a second. NaN elsewhere. */
export function processorMicros(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN;
  return listFamily(pid).reduce((ticks, one) => ticks + one.ticks, 0) * 10_000;
}

/** The processes that it started itself. */
export function childrenOf(pid: number): number[] {
  return listFamily(pid)
    .map(one => one.pid)
    .filter(one => one !== pid);
}

function listFamily(pid: number): { readonly pid: number; readonly ticks: number }[] {
  return readdirSync('/proc')
    .filter(entry => /^\d+$/.test(entry))
    .flatMap(entry => {
      try {
        const text = readFileSync(`/proc/${entry}/stat`, 'utf8');
        const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
        if (Number(entry) !== pid && Number(fields[1]) !== pid) return [];
        return [{ pid: Number(entry), ticks: Number(fields[11]) + Number(fields[12]) }];
      } catch {
        // The process ended meanwhile.
        return [];
      }
    });
}
