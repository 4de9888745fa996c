import fc from 'fast-check';
import { clientsAtOnce, prepare, prepared } from './arbitraries-at-once.ts';
import { explain, makeAtOnce, observe, tell } from './at-once.ts';
import { play } from './play.ts';
import { nextRun } from './sequences.ts';
import type { Together } from './together.ts';
import { emptyWorld } from './world.ts';

/** Which call goes on next: mostly the one that waits longest, or again and again the one that came last. */
const choices = fc
  .array(fc.tuple(fc.constantFrom(0, 0, 1, 2, -1, -1), fc.integer({ min: 1, max: 9 })), { minLength: 6, maxLength: 12 })
  .map(runs => runs.flatMap(([choice, times]) => Array<number>(times).fill(choice)));

/** Calls at once: what they were answered, and what is there afterwards, is explained by some order of them. */
export function callsAtOnce(together: Together) {
  return fc.asyncProperty(prepared, clientsAtOnce, choices, async (start, clients, order) => {
    const { servers, gate, clock } = together;
    const [server] = servers;
    const run = nextRun();
    const world = emptyWorld(clock.now);
    try {
      for (const call of prepare(start)) await play(server!, world, run, call);
      const made = await gate.hold(order, () => makeAtOnce(servers, world, run, clients));
      const worlds = explain([world], made);
      if (worlds.length === 0) throw new Error(tell([world], made));
      await observe(server!, worlds, run, made);
    } finally {
      clock.now = Math.max(clock.now, world.now);
    }
  });
}
