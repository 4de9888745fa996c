import diagnostics from 'node:diagnostics_channel';
import { openSync, readSync, writeFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { PerformanceObserver, performance } from 'node:perf_hooks';
import { isMainThread, workerData } from 'node:worker_threads';

// `--import`ed by the built service for `npm run bench silence`: the longest turn of its event loop in processor time of the
// answering thread. When the service stops, TURNS_FILE gets each turn that was longer than all before it, with its end. With TURNS_STACKS=1 a profile says in which functions
// the longest turns were. TURNS_THREAD=main for a program that answers in its first thread.

/** One turn: what ran between two looks at the clocks. Times in milliseconds. */
interface Turn {
  readonly from: number;
  readonly to: number;
  /** Processor time of this thread. */
  readonly used: number;
  /** Without the time that it waited for something to do. */
  readonly active: number;
  /** It was ready to run but had no processor. */
  readonly queued: number;
}

const leastMillis = Number(process.env.TURNS_LEAST ?? 15);
const mostTurns = Number(process.env.TURNS_MOST ?? 8);

/** Every other thread imports this too. */
const answers = process.env.TURNS_THREAD === 'main' ? isMainThread : !isMainThread && Boolean(workerData?.pulse);
const file = answers ? process.env.TURNS_FILE : undefined;
const withStacks = process.env.TURNS_STACKS === '1';

/** Opened once: opening a file of `/proc` may wait for the kernel. */
const schedule = process.platform === 'linux' && file ? openSync('/proc/thread-self/schedstat', 'r') : undefined;
const numbers = Buffer.alloc(128);

function queuedMillis(): number {
  if (schedule === undefined) return Number.NaN;
  return Number(numbers.toString('latin1', 0, readSync(schedule, numbers, 0, 128, 0)).split(' ')[1]) / 1e6;
}

function usedMillis(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** The clock of V8's profiles. */
const nowMillis = () => Number(process.hrtime.bigint()) / 1e6;

const turns: Turn[] = [];
let begun = Number.POSITIVE_INFINITY;
/** Each turn that was longer than all before it: its end and its processor time. */
const records: [to: number, used: number][] = [];
const collections: { readonly from: number; readonly millis: number }[] = [];

function watch(): void {
  const look = () => ({
    at: nowMillis(),
    used: usedMillis(),
    idle: performance.eventLoopUtilization().idle,
    queued: queuedMillis(),
  });
  let before = look();
  setInterval(() => {
    const now = look();
    const used = now.used - before.used;
    if (before.at >= begun && used > (records.at(-1)?.[1] ?? 0)) records.push([now.at, used]);
    const active = now.at - before.at - (now.idle - before.idle);
    if (withStacks && active > leastMillis) {
      turns.push({ from: before.at, to: now.at, used, active, queued: now.queued - before.queued });
    }
    before = now;
  }, 1).unref();
  if (!withStacks) return;
  const start = nowMillis() - performance.now();
  new PerformanceObserver(list => {
    for (const { startTime, duration } of list.getEntries()) collections.push({ from: start + startTime, millis: duration });
  }).observe({ entryTypes: ['gc'] });
}

interface Branch {
  millis: number;
  readonly children: Map<string, Branch>;
}

const newBranch = (): Branch => ({ millis: 0, children: new Map() });

/** The stacks of a turn as a tree, without what is less than `least`; calls that lead to one place only share a line. */
function drawTree(branch: Branch, least: number, indent: string, lines: string[]): void {
  const heaviest = (of: Branch) => [...of.children].sort(([, one], [, other]) => other.millis - one.millis);
  for (const [first, child] of heaviest(branch)) {
    if (child.millis < least) break;
    const chain = [first];
    let last = child;
    for (;;) {
      const [next] = heaviest(last);
      if (!next || next[1].millis < last.millis * 0.8) break;
      chain.push(next[0]);
      last = next[1];
    }
    const names = chain.length > 7 ? [...chain.slice(0, 2), `(${chain.length - 6} more)`, ...chain.slice(-4)] : chain;
    lines.push(`${indent}${child.millis.toFixed(1)} ${names.join(' > ')}`);
    drawTree(last, least, `${indent}  `, lines);
  }
}

class Stacks {
  readonly #profile: Profiler.Profile;
  readonly #parents = new Map<number, Profiler.ProfileNode>();
  readonly #nodes = new Map<number, Profiler.ProfileNode>();

  constructor(profile: Profiler.Profile) {
    this.#profile = profile;
    for (const node of profile.nodes) {
      this.#nodes.set(node.id, node);
      for (const child of node.children ?? []) this.#parents.set(child, node);
    }
  }

  #stackOf(id: number): string[] {
    const names: string[] = [];
    for (let node = this.#nodes.get(id); node; node = this.#parents.get(node.id)) {
      const { functionName, url, lineNumber } = node.callFrame;
      if (functionName === '(root)') break;
      names.unshift(`${functionName || '(anonymous)'} ${url.split('/').slice(-1)[0]}:${lineNumber + 1}`);
    }
    return names;
  }

  between(from: number, to: number): Branch {
    const root = newBranch();
    const { samples = [], timeDeltas = [], startTime } = this.#profile;
    let at = startTime;
    for (const [index, sample] of samples.entries()) {
      const before = at;
      at += timeDeltas[index] ?? 0;
      if (at / 1_000 < from || at / 1_000 > to) continue;
      const millis = (at - before) / 1_000;
      let branch = root;
      for (const name of this.#stackOf(sample)) {
        const next = branch.children.get(name) ?? newBranch();
        branch.children.set(name, next);
        next.millis += millis;
        branch = next;
      }
    }
    return root;
  }
}

function report(profile: Profiler.Profile): string {
  const stacks = new Stacks(profile);
  const lines: string[] = [];
  const inTime = turns.filter(({ from }) => from >= begun);
  const longest = inTime.toSorted((one, other) => other.used - one.used).slice(0, mostTurns);
  const blocked = inTime.toSorted(
    (one, other) => other.active - other.used - other.queued - (one.active - one.used - one.queued),
  );
  lines.push(`longest turns, ms of processor time: ${longest.map(({ used }) => used.toFixed(0)).join(', ')}`);
  for (const turn of new Set([...longest, ...blocked.slice(0, 2)])) {
    const { from, to, used, active, queued } = turn;
    const garbage = collections.filter(one => one.from >= from && one.from <= to).reduce((sum, { millis }) => sum + millis, 0);
    const other = active - used - queued;
    lines.push(
      `\n${used.toFixed(1)} ms (${active.toFixed(0)} by the clock, ${queued.toFixed(0)} without a processor, ${other.toFixed(0)} otherwise blocked, ${garbage.toFixed(1)} collecting garbage) at ${((from - begun) / 1_000).toFixed(2)} s`,
    );
    drawTree(stacks.between(from, to), Math.max(1, active / 12), '  ', lines);
  }
  return `${lines.join('\n')}\n`;
}

if (file) {
  const begin = () => {
    begun = Math.min(begun, nowMillis());
    diagnostics.unsubscribe('http.server.request.start', begin);
  };
  diagnostics.subscribe('http.server.request.start', begin);
  watch();
  if (withStacks) {
    // Only here: it takes memory, which is measured.
    const { Session } = await import('node:inspector');
    const session = new Session();
    session.connect();
    session.post('Profiler.enable');
    session.post('Profiler.setSamplingInterval', { interval: 500 });
    session.post('Profiler.start');
    process.once('exit', () => {
      session.post('Profiler.stop', (error, answer) => {
        writeFileSync(file, `${JSON.stringify(records)}\n${error ? String(error.message) : report(answer.profile)}`);
      });
    });
  } else {
    process.once('exit', () => writeFileSync(file, JSON.stringify(records)));
  }
}
