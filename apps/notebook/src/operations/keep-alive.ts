const timeoutMs = 10_000;

/**
 * Calls `/api/ping`, so that a database that is put to sleep when nobody asks stays awake (spec 1 §3).
 * @param ping the address to call, as in `http://127.0.0.1:3000/api/ping`
 * @throws when the service or its database does not answer
 */
export async function keepAlive(ping: string, signal?: AbortSignal): Promise<void> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const answer = await fetch(ping, { signal: signal ? AbortSignal.any([signal, timeout]) : timeout, redirect: 'error' });
  const body = await answer.text();
  // A proxy's own page may answer 200 as well.
  if (answer.status !== 200 || !isOk(body)) throw new Error(`${ping} answered ${answer.status}`);
}

function isOk(body: string): boolean {
  try {
    return (JSON.parse(body) as { ok?: unknown } | null)?.ok === true;
  } catch {
    return false;
  }
}
