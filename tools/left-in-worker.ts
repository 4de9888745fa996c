import * as dns from 'node:dns';
import * as fs from 'node:fs';
import * as files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import * as timers from 'node:timers';
import * as waits from 'node:timers/promises';
import * as threads from 'node:worker_threads';
import { afterAll, vi } from 'vitest';

// Runs before every quick test file. One worker runs many of them: what one leaves changed, the next ones see, and fail in an order that nobody
// has tried yet. So the file that leaves it fails. Spies on objects need no such care: Vitest takes them away after each file.

/** Written by Vitest itself for each file, and by libvips when sharp is first loaded. */
const known = /^(?:__vitest_|VITEST)|^(?:console|SSR|TEST|VIPSHOME)$/;

/** Listeners for these hear what later files do. Those for the worker's end (`exit`, `SIGINT`) may stay: a kept browser has some. */
const heard = ['uncaughtException', 'unhandledRejection', 'warning', 'worker'] as const;

/** Modules of Node whose functions tests replace for all that import them (`syncBuiltinESMExports`). */
const modules = { dns, fs, 'fs/promises': files, timers, 'timers/promises': waits, worker_threads: threads };

type Named<Value> = Record<string, Value | undefined>;

function note() {
  const exported: Named<unknown> = {};
  for (const [module, functions] of Object.entries(modules))
    for (const name in functions) exported[`node:${module}.${name}`] = functions[name as keyof typeof functions];
  return {
    folder: process.cwd(),
    variables: { ...process.env } as Named<string>,
    globals: Object.getOwnPropertyDescriptors(globalThis) as Named<PropertyDescriptor>,
    exported,
    listeners: heard.map(name => process.listenerCount(name)),
  };
}

const before = note();

// Vitest calls these in reverse, so after those of the file.
afterAll(() => {
  const left = vi.isFakeTimers() ? ['a played clock'] : [];
  vi.useRealTimers();
  const after = note();
  const variables = findChanged(before.variables, after.variables, Object.is);
  const globals = findChanged(before.globals, after.globals, isSameGlobal);
  if (after.folder !== before.folder) left.push('another working directory');
  left.push(...variables.map(name => `the environment variable ${name}`), ...globals.map(name => `the global ${name}`));
  left.push(...findChanged(before.exported, after.exported, Object.is).map(name => `a changed ${name}`));
  const listening = heard.filter((_, at) => after.listeners[at]! > before.listeners[at]!);
  left.push(...listening.map(name => `a listener of the process for ${name}`));
  if (left.length === 0) return;
  putBack(variables, globals);
  throw new Error(`This file leaves to the next one of its worker: ${left.join(', ')}.`);
});

function findChanged<Value>(
  old: Named<Value>,
  now: Named<Value>,
  isSame: (old: Value | undefined, now: Value | undefined) => boolean,
): string[] {
  const names = Object.keys({ ...old, ...now });
  return names.filter(name => !known.test(name) && !isSame(old[name], now[name]));
}

/** Node puts its value in the place of many a global when it is first read. */
function isSameGlobal(old: PropertyDescriptor | undefined, now: PropertyDescriptor | undefined): boolean {
  if (!old || !now) return old === now;
  if (old.get && !now.get) return old.get.call(globalThis) === now.value;
  return old.get === now.get && Object.is(old.value, now.value);
}

/** So that the next files are not blamed when they put it back. */
function putBack(variables: string[], globals: string[]): void {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  syncBuiltinESMExports();
  process.chdir(before.folder);
  for (const name of variables) {
    delete process.env[name];
    if (before.variables[name] !== undefined) process.env[name] = before.variables[name];
  }
  for (const name of globals) {
    Reflect.deleteProperty(globalThis, name);
    if (before.globals[name]) Object.defineProperty(globalThis, name, before.globals[name]);
  }
}
