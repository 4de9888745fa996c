import { readdirSync } from 'node:fs';
import { setPriority } from 'node:os';
import { attacks } from '../../apps/notebook/test/hostile/attacks.ts';

export interface HostileOrder {
  readonly names: readonly string[];
  readonly port: number;
  readonly round: number;
}

// The attackers, in a process of their own. They come from other machines: here they get of the two cores what the service and the
// others leave, so that what is measured is the service and not its share of the processors. The threads that collect the garbage of
// all that they send, too: Linux has a priority for each.
if (process.platform === 'linux') for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), 10);
else setPriority(10);
process.once('message', ({ names, port, round }: HostileOrder) => {
  const { signal } = new AbortController();
  for (const [index, name] of names.entries()) {
    const attack = attacks.find(one => one.name === name)!;
    attack.run({ port, from: `127.66.${round % 256}.${index + 1}`, signal }).catch(error => console.error(name, error));
  }
});
