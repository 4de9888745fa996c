import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runCommand } from '../../src/commands/run-command.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'octavo-stopped-'));
  const database = new DatabaseSync(join(folder, 'o.db'));
  database.exec('CREATE TABLE migrations (sha256 TEXT); CREATE TABLE notebooks (title TEXT)');
  // More than is copied in one step.
  database.prepare('INSERT INTO notebooks VALUES (?)').run('x'.repeat(4_194_304));
  database.close();
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Sends the signal to what has begun to listen for it since `before`, once the copy has begun. */
async function stopWhileCopying(signal: 'SIGINT' | 'SIGTERM', copy: string, before: readonly unknown[]): Promise<void> {
  while (!existsSync(`${copy}.unfinished`)) await setImmediate();
  for (const listener of process.listeners(signal)) if (!before.includes(listener)) listener(signal);
}

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s removes the unfinished copy and says so', async (signal, code) => {
  const said: string[] = [];
  const say = (text: string) => void said.push(text);
  const before = process.listeners(signal);
  const file = join(folder, 'backup.db');
  writeFileSync(file, 'an older backup');
  const env = { DATABASE_URL: `sqlite:${join(folder, 'o.db')}` };
  const ended = runCommand('backup', [file, '--force'], { env, print: say, complain: say });
  await stopWhileCopying(signal, file, before);
  expect(await ended).toBe(code);
  expect(said).toEqual([`Stopped. The unfinished copy was removed, and ${file} is as it was.`]);
  expect(readdirSync(folder).sort()).toEqual(['backup.db', 'o.db']);
  expect(readFileSync(file, 'utf8')).toBe('an older backup');
  expect(process.listeners(signal)).toEqual(before);
});

it('a restore that is stopped leaves the database as it was', async () => {
  const before = process.listeners('SIGTERM');
  const [file, path] = [join(folder, 'o.db'), join(folder, 'other.db')];
  const ended = runCommand('restore', [file], { env: { DATABASE_URL: `sqlite:${path}` }, print: () => {}, complain: () => {} });
  await stopWhileCopying('SIGTERM', path, before);
  expect(await ended).toBe(143);
  expect(readdirSync(folder)).toEqual(['o.db']);
});
