import { ConfigError } from '../config.ts';
import { readArguments } from './arguments.ts';
import { backup, restore } from './backup.ts';
import { type Command, CommandFailed, type Terminal, UsageError } from './command.ts';
import { job } from './job.ts';
import { pull } from './pull.ts';
import { push } from './push.ts';
import { reports } from './reports.ts';
import { takeDown } from './take-down.ts';

/** `cli.ts` runs it, in a process of its own, unless words follow. */
const serve: Command = {
  usage: 'serve',
  about: 'the service, configured by the environment (docs/configuration.md)',
  async run(args) {
    readArguments(args, { words: [] });
    throw new UsageError('it takes no arguments');
  },
};

const commands: Readonly<Record<string, Command>> = {
  serve,
  job,
  backup,
  restore,
  reports,
  'take-down': takeDown,
  push,
  pull,
};

const thisText = { usage: '--help', about: 'this text' };

export function help(): string {
  const width = 36;
  const lines = [...Object.values(commands), thisText].map(({ usage, about }) => {
    const room = usage.length > width ? `${usage}\n  ${' '.repeat('octavo '.length + width)}` : usage.padEnd(width);
    return `  octavo ${room} ${about}\n`;
  });
  return `octavo: notebooks of Markdown pages, shared by link\n\n${lines.join('')}`;
}

/** Exit code 0: done; 1: it failed; 2: the command was not understood. */
export async function runCommand(name: string, args: readonly string[], terminal: Terminal): Promise<number> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    terminal.complain(`octavo: there is no command "${name}"\n\n${help()}`);
    return 2;
  }
  try {
    if (asksForHelp(args)) {
      terminal.print(`Usage: octavo ${command.usage}\n${command.about}`);
      return 0;
    }
    return await command.run(args, terminal);
  } catch (error) {
    if (error instanceof UsageError) {
      terminal.complain(`octavo ${name}: ${error.message}\nUsage: octavo ${command.usage}`);
      return 2;
    }
    terminal.complain(describeError(name, error));
    return 1;
  }
}

/** Words after `--` are names of files. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).some(word => word === '--help' || word === '-h');
}

function describeError(name: string, error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  if (error instanceof CommandFailed) return `octavo ${name}: ${error.message}`;
  const { message, cause } = error as Error;
  return `octavo ${name}: ${message}${cause instanceof Error ? ` (${cause.message})` : ''}`;
}
