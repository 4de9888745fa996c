import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

export interface DocumentedCommand {
  readonly document: string;
  /** Without comments and crontab times. */
  readonly command: string;
}

/** Recognized by the first word. Examples of the API (docs/api.md) and of configuration belong to other tests. */
const programs = /^(?:npm|npx|node|octavo|curl|cp|sqlite3|pg_dump|psql|\.ci\/run)\s/;

/** Every command line in a fenced block of README, CONTRIBUTING and docs/. */
export function findCommands(root: string): DocumentedCommand[] {
  return globSync(['README.md', 'CONTRIBUTING.md', 'docs/*.md'], { cwd: root })
    .filter(document => document !== path.join('docs', 'api.md'))
    .sort()
    .flatMap(document => commandsOf(readFileSync(path.join(root, document), 'utf8')).map(command => ({ document, command })));
}

function commandsOf(markdown: string): string[] {
  const commands: string[] = [];
  let fenced = false;
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) fenced = !fenced;
    else if (fenced) {
      const [command = ''] = line.split(' # ', 1);
      const plain = withoutPrefix(command.trim());
      if (programs.test(`${plain} `)) commands.push(command.trim());
    }
  }
  return commands;
}

/** Removes variables, or the five times of a crontab line, before the program. */
function withoutPrefix(command: string): string {
  const words = command.split(/ +/);
  const first = words.findIndex(word => !/^[A-Z_]+=/.test(word) && !/^[\d*/,-]+$/.test(word));
  return words.slice(Math.max(0, first)).join(' ');
}
