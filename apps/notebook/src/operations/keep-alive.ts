import { text } from 'node:stream/consumers';

const timeoutMs = 10_000;

/**
 * Calls `/api/ping`, so that a database that is suspended when idle stays awake (spec 1 §3).
 * @param ping the address to call, as in `http://127.0.0.1:3000/api/ping`
 * @throws when the service or its database does not answer
 */
export async function keepAlive(ping: string, signal?: AbortSignal): Promise<void> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const { status, body } = await ask(ping, signal ? AbortSignal.any([signal, timeout]) : timeout);
  // A proxy's own page may also answer 200.
  if (status !== 200 || !isOk(body)) throw new Error(`${ping} answered ${status}`);
}

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
}

/** Does not use `fetch`: loading its client for this alone would take an eighth of the startup time. Follows no redirect. */
async function ask(ping: string, signal: AbortSignal): Promise<Answer> {
  // The schedule calls its own process over http; the command calls the public address.
  const { get } = await (ping.startsWith('https:') ? import('node:https') : import('node:http'));
  return new Promise((resolve, reject) => {
    const refuse = (error: Error) => reject(signal.aborted ? signal.reason : error);
    get(ping, { signal, agent: false }, answer =>
      text(answer).then(body => resolve({ status: answer.statusCode, body }), refuse),
    ).on('error', refuse);
  });
}

function isOk(body: string): boolean {
  try {
    return (JSON.parse(body) as { ok?: unknown } | null)?.ok === true;
  } catch {
    return false;
  }
}
