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

export const backup: Command = {
  usage: 'backup FILE [--force]',
  about: 'copies the SQLite database while the service runs',
  async run(args, terminal) {
    const { words, flags } = readArguments(args, { words: ['the file to write'], flags: ['force'] });
    const file = words[0]!;
    const path = requireSqlitePath(terminal, `pg_dump --format=custom --file=${file} "$DATABASE_URL"`);
    const bytes = await backupSqlite(path, file, { overwrite: flags.force });
    terminal.print(`Wrote ${file}: ${bytes} bytes, checked. It may hold SECRET_KEY: keep it as safe as the database.`);
    return 0;
  },
};

export const restore: Command = {
  usage: 'restore FILE [--force]',
  about: 'puts a backup in the place of the SQLite database; stop the service first',
  async run(args, terminal) {
    const { words, flags } = readArguments(args, { words: ['the backup'], flags: ['force'] });
    const file = words[0]!;
    const path = requireSqlitePath(terminal, `pg_restore --clean --if-exists --dbname="$DATABASE_URL" ${file}`);
    const { notebooks } = await restoreSqlite(file, path, { overwrite: flags.force });
    terminal.print(`Restored ${path} from ${file}: ${notebooks} notebooks.`);
    return 0;
  },
};
