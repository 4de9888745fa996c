import * as calls from '../api/calls.ts';
import { imageVariables, readConfig } from '../config.ts';
import { createClockWatch } from '../operations/clock-watch.ts';
import { deleteQueuedObjects, describeQueue } from '../operations/delete-queued-objects.ts';
import { keepAlive } from '../operations/keep-alive.ts';
import { describeGuardedPurge, purgeGuarded } from '../operations/purge-guarded.ts';
import { describeSweep, sweepOrphanImages } from '../operations/sweep-orphan-images.ts';
import { readArguments } from './arguments.ts';
import { type Command, CommandFailed, type Terminal, UsageError } from './command.ts';
import { withStore } from './with-store.ts';

interface Flags {
  readonly dryRun: boolean;
  readonly force: boolean;
}

const jobs: Readonly<Record<string, (terminal: Terminal, flags: Flags) => Promise<string>>> = {
  purge: (terminal, flags) =>
    withStore(terminal, async ({ store, now, objects, config }) => {
      const { dryRun } = flags;
      const parts = { store, now, clock: createClockWatch({ store, now, passed: () => performance.now() }) };
      const result = await purgeGuarded(parts, { timezone: config.jobs.timezone, ...flags });
      const purged = describeGuardedPurge(result);
      if (result.kind === 'refused') throw new CommandFailed(purged);
      return objects && !dryRun ? `${purged} ${describeQueue(await deleteQueuedObjects({ store, objects, now }))}` : purged;
    }),
  sweep: (terminal, flags) =>
    withStore(terminal, async ({ store, now, objects, config: { images } }) => {
      if (images.kind === 'off' && images.missing.length < imageVariables.length)
        throw new CommandFailed(`Image upload is off: not set are ${images.missing.join(', ')}.`);
      if (!objects) return 'Image upload is off: there is nothing to sweep.';
      const reading = await createClockWatch({ store, now, passed: () => performance.now() }).check();
      if (reading.kind === 'leapt' && !flags.force) throw new CommandFailed(`Refused: ${reading.why}. No object was deleted.`);
      const result = await sweepOrphanImages({ store, objects, now }, flags);
      const swept = describeSweep(result);
      if (result.kind === 'refused' || (result.kind === 'swept' && result.stayed)) throw new CommandFailed(swept);
      return swept;
    }),
  'keep-alive': async ({ env }, { dryRun }) => {
    const ping = readConfig(env).publicUrl + calls.ping.path();
    if (dryRun) return `Would call ${ping}.`;
    await keepAlive(ping);
    return `Called ${ping}: the service and its database answer.`;
  },
};

/** Runs one of the schedule's jobs once, now: for the operator's own cron, with JOBS=off. */
export const job: Command = {
  usage: `job ${Object.keys(jobs).join(' | ')} [--dry-run] [--force]`,
  about: 'does a job of the schedule now',
  async run(args, terminal) {
    const { words, flags } = readArguments(args, { words: ['the name of the job'], flags: ['dry-run', 'force'] });
    const [name = ''] = words;
    if (!Object.hasOwn(jobs, name)) throw new UsageError(`there is no job "${name}"`);
    if (flags.force && name === 'keep-alive') throw new UsageError('keep-alive has no --force');
    terminal.print(await jobs[name]!(terminal, { dryRun: flags['dry-run'], force: flags.force }));
    return 0;
  },
};
