import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createPulseMemory } from './pulse.ts';
import { recordText, watchPulse } from './watch.ts';

const beat = (memory: SharedArrayBuffer) => Atomics.add(new Int32Array(memory), 0, 1);
const allowed = 2_000;

describe('the event loop', () => {
  afterEach(() => void vi.useRealTimers());

  function watch() {
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
    const memory = createPulseMemory();
    const onSilence = vi.fn();
    watchPulse(memory, allowed, onSilence);
    return { memory, onSilence };
  }

  it('is silent after so many looks without a beat, which is told once', () => {
    const { onSilence } = watch();
    // The first look only sees where it stands.
    vi.advanceTimersByTime(500 + allowed - 500);
    expect(onSilence).not.toHaveBeenCalled();
    vi.advanceTimersByTime(500);
    expect(onSilence).toHaveBeenCalledOnce();
    vi.advanceTimersByTime(10 * allowed);
    expect(onSilence).toHaveBeenCalledOnce();
  });

  it('is not silent for the time in which nobody looked: the process was frozen, or the machine slept', () => {
    const { memory, onSilence } = watch();
    vi.advanceTimersByTime(500);
    vi.setSystemTime(Date.now() + 3_600_000);
    // The first look comes before the first beat.
    vi.advanceTimersByTime(500);
    expect(onSilence).not.toHaveBeenCalled();
    beat(memory);
    vi.advanceTimersByTime(allowed);
    expect(onSilence).not.toHaveBeenCalled();
    vi.advanceTimersByTime(500);
    expect(onSilence).toHaveBeenCalledOnce();
  });
});

describe('the text over which a process ends', () => {
  const moduleOf = (text: string) => new URL(`data:text/javascript,${encodeURIComponent(text)}`);
  const text = { id: 'abcdefghijkl', revision: 3 };
  afterEach(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });

  it('is recorded with its revision and the time', async () => {
    const recorded: unknown[] = [];
    Object.assign(globalThis, { recordedEnding: (ending: unknown) => recorded.push(ending) });
    await recordText(moduleOf('export const recordEnding = async ending => recordedEnding(ending);'), text);
    expect(recorded).toEqual([{ ...text, at: expect.any(Number) }]);
    Reflect.deleteProperty(globalThis, 'recordedEnding');
  });

  it.each([
    ['does not load', 'import "data:text/javascript,throw new Error(`not there`)"', 'not there'],
    ['fails', 'export const recordEnding = async () => { throw new Error("the database is away"); }', 'the database is away'],
  ])('keeps no process alive when what records it %s, and the log says why', async (_, program, reason) => {
    const lines: string[] = [];
    vi.spyOn(fs, 'writeSync').mockImplementation((_, line) => lines.push(String(line)));
    syncBuiltinESMExports();
    await recordText(moduleOf(program), text);
    expect(lines.map(line => JSON.parse(line))).toEqual([
      { level: 60, time: expect.any(Number), reason, msg: 'which text it was could not be kept' },
    ]);
  });

  it('is nobody’s when there was none: nothing is loaded', async () => {
    const lines = vi.spyOn(fs, 'writeSync');
    syncBuiltinESMExports();
    await recordText(moduleOf('throw new Error("loaded")'), undefined);
    await recordText(undefined, text);
    expect(lines).not.toHaveBeenCalled();
  });
});
