import { constants } from 'node:os';
import { readConfig } from '../config.ts';
import { findSqlitePath } from '../store/open-store.ts';
import { backupSqlite, restoreSqlite } from '../store/sqlite/sqlite-backup.ts';
import { readArguments } from './arguments.ts';
import { type Command, CommandFailed, type Terminal } from './command.ts';

/** @throws CommandFailed for PostgreSQL, whose own tools do it better */
function requireSqlitePath({ env }: Terminal, tool: string): string {
  const path = findSqlitePath(readConfig(env).databaseUrl);
  if (path === undefined) throw new CommandFailed(`The database is PostgreSQL. Use its own tool: ${tool}`);
  return path;
}

const stopSignals = ['SIGINT', 'SIGTERM'] as const;

/** Lets SIGINT and SIGTERM stop the work, which leaves nothing unfinished. */
async function stoppable(terminal: Terminal, file: string, work: (signal: AbortSignal) => Promise<void>): Promise<number> {
  const stop = new AbortController();
  let code = 0;
  const onSignal = (name: (typeof stopSignals)[number]): void => {
    code = 128 + constants.signals[name];
    stop.abort();
  };
  for (const name of stopSignals) process.on(name, onSignal);
  try {
    await work(stop.signal);
    return 0;
  } catch (error) {
    if (error !== stop.signal.reason) throw error;
    terminal.complain(`Stopped. The unfinished copy was removed, and ${file} is as it was.`);
    return code;
  } finally {
    for (const name of stopSignals) process.off(name, onSignal);
  }
}

export const backup: Command = {
  usage: 'backup FILE [--force]',
  about: 'copies the SQLite database while the service runs',
  async run(args, terminal) {
    const { words, flags } = readArguments(args, { words: ['the file to write'], flags: ['force'] });
    const file = words[0]!;
    const path = requireSqlitePath(terminal, `pg_dump --format=custom --file=${file} "$DATABASE_URL"`);
    return stoppable(terminal, file, async signal => {
      const bytes = await backupSqlite(path, file, { overwrite: flags.force, signal });
      terminal.print(`Wrote ${file}: ${bytes} bytes, checked. It may hold SECRET_KEY: keep it as safe as the database.`);
    });
  },
};

export const restore: Command = {
  usage: 'restore FILE [--force]',
  about: 'puts a backup in the place of the SQLite database; stop the service first',
  async run(args, terminal) {
    const { words, flags } = readArguments(args, { words: ['the backup'], flags: ['force'] });
    const file = words[0]!;
    const path = requireSqlitePath(
      terminal,
      `pg_restore --exit-on-error --single-transaction --dbname=URL_OF_AN_EMPTY_DATABASE ${file}`,
    );
    return stoppable(terminal, path, async signal => {
      const { notebooks } = await restoreSqlite(file, path, { overwrite: flags.force, signal });
      terminal.print(`Restored ${path} from ${file}: ${notebooks} notebooks.`);
    });
  },
};
