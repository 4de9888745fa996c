import { writeSync } from 'node:fs';
import type { HostileInput } from '../markdown/hostile-inputs.ts';
import { findGrown, type Measurement } from './find-grown.ts';
import { hostileTexts, pairs } from './hostile-texts.ts';
import { mainThread } from './main-thread.ts';

// Measures in a process of its own, which can be ended: a thread that is in native code cannot.
const never = new Int32Array(new SharedArrayBuffer(4));
const ownTest: Readonly<Record<string, (text: string) => unknown>> = {
  'never comes back': () => Atomics.wait(never, 0, 0),
  'takes the square': text => /x+y$/.test('x'.repeat(text.length)),
};

/** Each text is made once, not for each function anew. */
const kept = (texts: readonly HostileInput[]) =>
  texts.map(([name, make]): HostileInput => {
    const made = new Map<number, string>();
    return [name, chars => made.get(chars) ?? made.set(chars, make(chars)).get(chars)!];
  });
// Pairs are too many to keep.
const texts = { hostile: kept(hostileTexts), pairs, one: hostileTexts.slice(0, 1) };

process.on('message', (asked: Measurement) => {
  const run = (mainThread[asked.name] ?? ownTest[asked.name])!;
  // At once: soon this thread may say nothing more.
  const begin = (measurement: string) => writeSync(1, `${JSON.stringify(measurement)}\n`);
  process.send!(findGrown(run, texts[asked.texts], asked.sizes, begin));
});
