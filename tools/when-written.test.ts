import { spawn } from 'node:child_process';
import { afterEach, expect, it } from 'vitest';
import { whenWritten } from './when-written.ts';

const warnings: Error[] = [];
const noteWarning = (warning: Error) => void warnings.push(warning);
afterEach(() => {
  process.off('warning', noteWarning);
});

/** Writes much to stderr, piece by piece, then `ready` to stdout. */
const program = `
  for (let at = 0; at < 30; at++) await new Promise(written => process.stderr.write('building ', () => setTimeout(written, 5)));
  process.stdout.write('ready');
  process.stdin.on('data', () => process.exit());
`;

function start() {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program]);
  const told = { text: '' };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (told.text += chunk));
  const listeners = () =>
    [child, child.stdout, child.stderr].map(each => each.eventNames().map(name => each.listenerCount(name)));
  return { child, told, listeners };
}

it('waits for words after much other output, and leaves no listener behind', async () => {
  process.on('warning', noteWarning);
  const { child, told, listeners } = start();
  const before = listeners();
  expect(await whenWritten(child, () => told.text.includes('ready'))).toBe(true);
  expect(told.text.match(/building/g)).toHaveLength(30);
  expect(listeners()).toEqual(before);
  expect(await whenWritten(child, () => told.text.includes('ready'))).toBe(true);
  const never = whenWritten(child, () => told.text.includes('never'));
  child.stdin.end('go');
  expect(await never).toBe(false);
  expect(await whenWritten(child, () => false)).toBe(false);
  expect(warnings).toEqual([]);
});
