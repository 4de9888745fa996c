import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Short, so that a process does not wait long for its next share. */
const periodMicros = 10_000;

/** Limits the processor time of a process by the kernel's control groups: part of a core, whatever else is free. */
export class ProcessorShare {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** @returns undefined when this system has no such groups or this user may not create one */
  static create(name: string, share: number): ProcessorShare | undefined {
    const quota = Math.round(share * periodMicros);
    try {
      if (existsSync('/sys/fs/cgroup/cpu/cpu.cfs_quota_us')) {
        const folder = make(`/sys/fs/cgroup/cpu/octavo-bench-${process.pid}-${name}`);
        writeFileSync(`${folder}/cpu.cfs_period_us`, String(periodMicros));
        writeFileSync(`${folder}/cpu.cfs_quota_us`, String(quota));
        return new ProcessorShare(folder);
      }
      if (!readFileSync('/sys/fs/cgroup/cgroup.subtree_control', 'utf8').includes('cpu')) return undefined;
      const folder = make(`/sys/fs/cgroup/octavo-bench-${process.pid}-${name}`);
      writeFileSync(`${folder}/cpu.max`, `${quota} ${periodMicros}`);
      return new ProcessorShare(folder);
    } catch {
      return undefined;
    }
  }

  /** Includes all of its threads. */
  add(pid: number): void {
    writeFileSync(`${this.#folder}/cgroup.procs`, String(pid));
  }

  /** Call it once its processes have ended. */
  async remove(): Promise<void> {
    for (let tries = 0; tries < 50; tries += 1) {
      try {
        rmdirSync(this.#folder);
        return;
      } catch {
        await sleep(100);
      }
    }
  }
}

function make(folder: string): string {
  mkdirSync(folder, { recursive: true });
  return folder;
}
