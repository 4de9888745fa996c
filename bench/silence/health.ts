import { existsSync, readdirSync, readFileSync } from 'node:fs';
import net from 'node:net';
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long `/healthz` was silent, in milliseconds. */
export interface Silence {
  /** The longest time between two answers, without what this process itself waited for a processor. */
  readonly silence: number;
  /** How long, during that silence, the answering thread was ready to run but had no processor; NaN if the system does not report it. */
  readonly silenceQueued: number;
  /** How long this process itself waited for a processor in the longest gap between two answers; that is not in `silence`. */
  readonly ownWait: number;
  /** Answers other than 200, and connections that were closed before they answered. */
  readonly unhealthy: number;
}

export interface HealthOrder {
  readonly port: number;
  readonly pid: number;
  readonly seconds: number;
}

/** How long a thread of the process has waited for a processor so far, in milliseconds. */
class RunQueue {
  readonly #file: string | undefined;

  /** Picks the busiest thread: it answers requests. */
  constructor(pid: number | 'self') {
    const folder = `/proc/${pid}/task`;
    const threads = existsSync(`${folder}/${pid}/schedstat`) ? readdirSync(folder) : [];
    const used = (thread: string) => Number(readFileSync(`${folder}/${thread}/schedstat`, 'utf8').split(' ')[0]);
    const [busiest] = threads.toSorted((one, other) => used(other) - used(one));
    this.#file = busiest && `${folder}/${busiest}/schedstat`;
  }

  millis(): number {
    return this.#file ? Number(readFileSync(this.#file, 'utf8').split(' ')[1]) / 1e6 : Number.NaN;
  }
}

const question = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';

function isWhole(answer: string): boolean {
  const end = answer.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(answer)?.[1]);
  return Number.isNaN(length) ? answer.endsWith('0\r\n\r\n') : answer.length >= end + 4 + length;
}

/** Nothing else runs in this process, and no client library: what they take would count as the service's silence. */
class Line {
  readonly #port: number;
  #socket: net.Socket | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /** True if the answer is 200. */
  ask(): Promise<boolean> {
    const socket = this.#socket ?? this.#connect();
    this.#socket = socket;
    return new Promise(resolve => {
      let told = '';
      const over = (healthy: boolean) => {
        socket.off('data', read).off('close', lost);
        resolve(healthy);
      };
      const read = (chunk: Buffer) => {
        told += chunk.toString('latin1');
        if (isWhole(told)) over(told.startsWith('HTTP/1.1 200'));
      };
      const lost = () => {
        this.#socket = undefined;
        over(false);
      };
      socket.on('data', read).once('close', lost);
      socket.write(question);
    });
  }

  #connect(): net.Socket {
    const socket = net.connect({ port: this.#port, host: '127.0.0.1', localAddress: '127.0.0.1', noDelay: true });
    // 'close' follows.
    return socket.on('error', () => undefined);
  }

  end(): void {
    this.#socket?.destroy();
  }
}

async function measure({ port, pid, seconds }: HealthOrder): Promise<Silence> {
  const line = new Line(port);
  const runQueue = new RunQueue(pid);
  const ownQueue = new RunQueue('self');
  let silence = 0;
  let silenceQueued = 0;
  let ownWait = 0;
  let unhealthy = 0;
  // The first answer loads this program's own code, which is not the service's silence.
  await line.ask();
  let last = performance.now();
  let queued = runQueue.millis();
  let ownQueued = ownQueue.millis();
  const end = last + seconds * 1_000;
  while (last < end) {
    const healthy = await line.ask();
    const [now, queuedNow, ownNow] = [performance.now(), runQueue.millis(), ownQueue.millis()];
    if (!healthy) unhealthy += 1;
    else {
      // While this process waits for a processor, nobody asks: that is no silence of the service.
      const own = Number.isNaN(ownNow) ? 0 : ownNow - ownQueued;
      if (now - last - own > silence) [silence, silenceQueued, ownWait] = [now - last - own, queuedNow - queued, own];
      [last, queued, ownQueued] = [now, queuedNow, ownNow];
    }
    await sleep(5);
  }
  line.end();
  return { silence, silenceQueued, ownWait, unhealthy };
}

try {
  // The time that this process waits for a processor would count as the service's silence.
  setPriority(-10);
} catch {
  // Only root may do this.
}
process.on('message', async (order: HealthOrder) => process.send?.(await measure(order)));
process.on('disconnect', () => process.exit());
