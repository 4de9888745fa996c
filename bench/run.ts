import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';

// `npm run bench [name…]`: every bench file of this folder, one after the other, because two at once would measure each other.
const wanted = process.argv.slice(2);
const files = globSync('*.ts', { cwd: import.meta.dirname })
  .filter(file => file !== 'run.ts')
  .filter(file => wanted.length === 0 || wanted.includes(file.replace(/\.ts$/, '')))
  .sort();

const failed = files.filter(file => {
  process.stdout.write(`\n== ${file}\n`);
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, file)], { stdio: ['ignore', 'inherit', 'inherit'] });
  return status !== 0;
});
if (files.length === 0) process.stderr.write(`There is no bench called ${wanted.join(', ')}.\n`);
if (failed.length > 0) process.stderr.write(`\nFailed: ${failed.join(', ')}\n`);
process.exitCode = failed.length > 0 || files.length === 0 ? 1 : 0;
