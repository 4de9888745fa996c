#!/usr/bin/env node
import './required-node.ts';
import { help, runCommand } from './commands/run-command.ts';
import { withoutControls } from './commands/terminal-text.ts';

// Commands write notes, backups and edit tokens, which nobody else may read.
process.umask(0o077);

const [name, ...args] = process.argv.slice(2);
if (name === 'serve' && args.length === 0) await import('./main.ts');
else if (name === undefined || name === '--help' || name === '-h' || name === 'help') process.stdout.write(help());
else {
  process.exitCode = await runCommand(name, args, {
    env: process.env,
    print: text => process.stdout.write(`${withoutControls(text)}\n`),
    complain: text => process.stderr.write(`${withoutControls(text)}\n`),
  });
}
