import { runCommand } from '../../src/commands/run-command.ts';
import { withoutControls } from '../../src/commands/terminal-text.ts';
import type { Ended } from './octavo-command.ts';

/** `octavo …` as `octavo-command.ts` runs it, but in this process: a start of the program takes most of the time of a short command. */
export async function octavoHere(args: readonly string[], given: Record<string, string> = {}, cwd?: string): Promise<Ended> {
  const [name, ...rest] = args;
  const said = { out: '', err: '' };
  const before = process.cwd();
  if (cwd !== undefined) process.chdir(cwd);
  try {
    const code = await runCommand(name!, rest, {
      env: given,
      print: text => (said.out += `${withoutControls(text)}\n`),
      complain: text => (said.err += `${withoutControls(text)}\n`),
    });
    return { code, ...said };
  } finally {
    process.chdir(before);
  }
}
