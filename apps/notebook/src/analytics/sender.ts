import { randomUUID } from 'node:crypto';
import { type Capture, isInTable } from './events.ts';

export interface Analytics {
  readonly capture: Capture;
  /** Sends waiting events, within a moment. */
  close(): Promise<void>;
}

export interface SenderOptions {
  readonly key: string;
  /** Without a trailing slash. */
  readonly host: string;
  readonly now: () => number;
  readonly log: { debug(facts: object, message: string): void; warn(facts: object, message: string): void };
  readonly flushMs?: number;
}

const maxWaiting = 1_000;
const maxBatch = 100;
const timeoutMs = 5_000;
const closeWithinMs = 1_000;
const hourMs = 3_600_000;

interface Waiting {
  readonly event: string;
  readonly properties: object;
  readonly timestamp: string;
}

/** Analytics switched off: accepts every event and does nothing. */
export const noAnalytics: Analytics = { capture: () => {}, close: async () => {} };

/**
 * Sends events to a PostHog-compatible host from the server: no third-party script runs on a page. Fire and forget: events that do not fit
 * the queue or that the host does not accept are lost, and no request ever waits for them.
 */
export function createAnalytics({ key, host, now, log, flushMs = 10_000 }: SenderOptions): Analytics {
  let waiting: Waiting[] = [];
  /** Events that were taken out of the queue and not sent yet: a host that does not answer keeps them for long. */
  let underWay = 0;
  let timer: NodeJS.Timeout | undefined;
  let sending = Promise.resolve();
  let warned = false;
  const nameOf = createDailyName(now);

  /** Identifies no person: the sender is this process on this day, the address is the server's, and no location is looked up. */
  const anonymous = () => ({ distinct_id: nameOf(), $process_person_profile: false, $geoip_disable: true, $ip: null });

  const capture: Capture = (name, properties) => {
    if (!isInTable(name, properties)) return log.warn({}, 'unknown analytics event dropped');
    if (waiting.length + underWay >= maxWaiting) return;
    // Only the hour: a time to the second could be matched with a notebook's.
    const timestamp = new Date(Math.floor(now() / hourMs) * hourMs).toISOString();
    waiting.push({ event: name, properties: { ...properties, ...anonymous() }, timestamp });
    timer ??= setTimeout(flush, flushMs);
    timer.unref();
  };

  function flush(): void {
    timer = undefined;
    const all = waiting;
    waiting = [];
    underWay += all.length;
    for (let at = 0; at < all.length; at += maxBatch) {
      const batch = all.slice(at, at + maxBatch);
      sending = sending.then(() => send(batch));
    }
  }

  async function send(batch: readonly Waiting[]): Promise<void> {
    try {
      const answer = await fetch(`${host}/batch/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ api_key: key, batch }),
        signal: AbortSignal.timeout(timeoutMs),
        redirect: 'error',
      });
      await answer.body?.cancel();
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      warned = false;
      log.debug({ events: batch.length }, 'analytics sent');
    } catch (error) {
      // Logged once, until sending works again: an outage of the host must not fill our log.
      if (!warned) log.warn({ reason: String(error), lost: batch.length }, 'analytics host refused events');
      warned = true;
    }
    underWay -= batch.length;
  }

  return {
    capture,
    async close() {
      clearTimeout(timer);
      flush();
      let giveUp: NodeJS.Timeout | undefined;
      const late = new Promise<void>(resolve => {
        giveUp = setTimeout(resolve, closeWithinMs);
      });
      await Promise.race([sending, late]);
      clearTimeout(giveUp);
    },
  };
}

/** A random name, a new one each day and in each process. */
function createDailyName(now: () => number): () => string {
  let [day, name] = [Number.NaN, ''];
  return () => {
    const today = Math.floor(now() / 86_400_000);
    if (today !== day) [day, name] = [today, randomUUID()];
    return name;
  };
}
