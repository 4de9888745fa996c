import fc from 'fast-check';
import { anyCall, create, manySaves } from './arbitraries.ts';
import type { Call } from './calls.ts';
import { play } from './play.ts';
import type { Run } from './requests.ts';
import type { Server } from './server.ts';
import { day, emptyWorld, type World } from './world.ts';

interface Both {
  readonly server: Server;
  readonly run: Run;
}

/** One or more calls of a sequence, made one after the other. */
class Step implements fc.AsyncCommand<World, Both> {
  readonly #calls: readonly Call[];

  constructor(...calls: Call[]) {
    this.#calls = calls;
  }

  check(): boolean {
    return true;
  }

  async run(world: World, { server, run }: Both): Promise<void> {
    for (const call of this.#calls) await play(server, world, run, call);
  }

  toString(): string {
    return this.#calls.map(call => JSON.stringify(call)).join(', ');
  }
}

let runs = 0;
export const nextRun = (): Run => {
  runs += 1;
  return { mark: runs.toString(36).padStart(4, '0') };
};

/** The time goes on from run to run: the server has been told it. */
export interface Played {
  readonly server: Server;
  now: number;
}

/** A notebook is created, and then anything may happen. */
export function sequences(played: Played, maxCommands: number) {
  const step = fc.oneof(
    { arbitrary: anyCall().map(call => new Step(call)), weight: 30 },
    { arbitrary: manySaves.map(calls => new Step(...calls)), weight: 1 },
  );
  return fc.asyncProperty(create, fc.commands([step], { maxCommands, size: 'max' }), async (first, steps) => {
    const world = emptyWorld(played.now);
    const both = { server: played.server, run: nextRun() };
    // A notebook that lives, whatever else was made up for it.
    const expires = Math.max(1, first.settings.expires ?? day);
    const made: Call = { ...first, slug: undefined, settings: { ...first.settings, expires } };
    try {
      await play(both.server, world, both.run, made);
      await fc.asyncModelRun(() => ({ model: world, real: both }), steps);
    } finally {
      played.now = world.now;
    }
  });
}
