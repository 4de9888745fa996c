import { readConfig } from '../config.ts';
import { keepAlive } from '../operations/keep-alive.ts';
import { purgeExpired, tellPurge } from '../operations/purge-expired.ts';
import { urls } from '../urls.ts';
import { readArguments } from './arguments.ts';
import { type Command, type Terminal, WrongUsage } from './command.ts';
import { withStore } from './with-store.ts';

const jobs: Readonly<Record<string, (terminal: Terminal, dryRun: boolean) => Promise<string>>> = {
  purge: (terminal, dryRun) =>
    withStore(terminal, async ({ store, now, config }) =>
      tellPurge(await purgeExpired({ store, now }, { timezone: config.jobs.timezone, dryRun }), dryRun),
    ),
  'keep-alive': async ({ env }, dryRun) => {
    const ping = readConfig(env).publicUrl + urls.api.ping();
    if (dryRun) return `Would call ${ping}.`;
    await keepAlive(ping);
    return `Called ${ping}: the service and its database answer.`;
  },
};

/** What the schedule of the process does, once and now: for a cron of the operator's own, with JOBS=off. */
export const job: Command = {
  usage: `job ${Object.keys(jobs).join(' | ')} [--dry-run]`,
  about: 'does a job of the schedule now',
  async run(args, terminal) {
    const { words, flags } = readArguments(args, { words: ['the name of the job'], flags: ['dry-run'] });
    const [name = ''] = words;
    if (!Object.hasOwn(jobs, name)) throw new WrongUsage(`there is no job "${name}"`);
    terminal.print(await jobs[name]!(terminal, flags['dry-run']));
    return 0;
  },
};
