import { fileURLToPath } from 'node:url';
import { buildIfStale } from './build.ts';

// `npm start`: builds what is missing or older than its sources, then becomes the service.
const say = (words: string): unknown => process.stdout.write(`${words}\n`);
if (await buildIfStale(() => say('Building Octavo. This takes about a minute the first time.'))) say('Built.');
const program = new URL('../apps/notebook/dist/server/main.js', import.meta.url);
if (process.platform === 'linux' && process.execve && process.env.MALLOC_ARENA_MAX === undefined) {
  // glibc reads this when a process starts; without it, it keeps an arena of freed memory for each thread.
  const args = [process.execPath, ...process.execArgv, fileURLToPath(program), ...process.argv.slice(2)];
  process.execve(process.execPath, args, { ...process.env, MALLOC_ARENA_MAX: '2' });
}
await import(program.href);
