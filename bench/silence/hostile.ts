import { readdirSync } from 'node:fs';
import { setPriority } from 'node:os';
import { attacks } from '../../apps/notebook/test/hostile/attacks.ts';

export interface HostileOrder {
  readonly names: readonly string[];
  readonly port: number;
  readonly round: number;
}

// The attackers, in a separate process. In reality they are on other machines: here they get what the service and the others
// leave of the two cores, so that the service is measured and not its share of the processors. This includes the threads that
// collect the garbage of everything they send: Linux has a priority for each thread.
if (process.platform === 'linux') for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), 10);
else setPriority(10);
process.once('message', ({ names, port, round }: HostileOrder) => {
  const { signal } = new AbortController();
  for (const [index, name] of names.entries()) {
    const attack = attacks.find(one => one.name === name)!;
    attack.run({ port, from: `127.66.${round % 256}.${index + 1}`, signal }).catch(error => console.error(name, error));
  }
});
