import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';

// `npm run bench [name…] [-- argument…]`: runs every bench file of this folder, one after the other, because two at once would
// measure each other. npm removes the `--`, so the first word that is not a bench, and everything after it, goes to the bench.
const all = globSync('*.ts', { cwd: import.meta.dirname }).filter(file => file !== 'run.ts');
const isBench = (word: string) => all.includes(`${word}.ts`);
const words = process.argv.slice(2).filter(word => word !== '--');
const firstArgument = words.findIndex(word => !isBench(word));
const wanted = firstArgument === -1 ? words : words.slice(0, firstArgument);
const args = words.slice(wanted.length);
// A misspelled name among several is not an argument.
const isClear = args.length === 0 || wanted.length === 1;
const files = !isClear ? [] : all.filter(file => words.length === 0 || wanted.includes(file.replace(/\.ts$/, ''))).sort();

const failed = files.filter(file => {
  process.stdout.write(`\n== ${file}\n`);
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, file), ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return status !== 0;
});
if (files.length === 0) process.stderr.write(`There is no bench called ${words.join(', ')}.\n`);
if (failed.length > 0) process.stderr.write(`\nFailed: ${failed.join(', ')}\n`);
process.exitCode = failed.length > 0 || files.length === 0 ? 1 : 0;
