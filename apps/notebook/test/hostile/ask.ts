import http from 'node:http';
import net from 'node:net';

export interface Asked {
  readonly status: number;
  readonly body: string;
  readonly location: string | undefined;
  readonly millis: number;
}

export interface Question {
  readonly method?: string;
  readonly path: string;
  /** An address of the loopback, so that each client counts as itself (Linux). */
  readonly from: string;
  readonly body?: string | Buffer;
  readonly type?: string;
  readonly token?: string;
  readonly agent?: http.Agent;
  readonly signal?: AbortSignal;
}

/** How often each status was answered, in this process; 0 is a connection that failed. */
export const answered = new Map<number, number>();

/** One request; a connection that fails answers status 0. */
export function ask(port: number, { method = 'GET', path, from, body, type, token, agent, signal }: Question): Promise<Asked> {
  const started = performance.now();
  return new Promise(resolve => {
    const over = (status: number, text = '', location?: string) => {
      answered.set(status, (answered.get(status) ?? 0) + 1);
      resolve({ status, body: text, location, millis: performance.now() - started });
    };
    const headers = {
      ...(body === undefined ? {} : { 'content-type': type ?? 'application/json', 'content-length': Buffer.byteLength(body) }),
      ...(token === undefined ? {} : { 'x-edit-token': token }),
    };
    const request = http.request(
      { host: '127.0.0.1', port, path, method, headers, localAddress: from, agent: agent ?? false, ...(signal && { signal }) },
      response => {
        const parts: Buffer[] = [];
        response.on('data', part => parts.push(part));
        response.on('end', () => over(response.statusCode ?? 0, Buffer.concat(parts).toString(), response.headers.location));
        response.on('error', () => over(0));
      },
    );
    request.on('error', () => over(0));
    request.end(body);
  });
}

/** Opens a connection, says `text` and keeps it open until the signal; `deaf`, it never reads what it is answered. */
export function hold(
  port: number,
  from: string,
  text: string | Buffer,
  signal: AbortSignal,
  ears: 'open' | 'deaf' = 'open',
): net.Socket {
  const socket = net.connect({ port, host: '127.0.0.1', localAddress: from });
  socket.on('error', () => {});
  socket.on('connect', () => socket.write(text));
  if (ears === 'open') socket.resume();
  else socket.pause();
  signal.addEventListener('abort', () => socket.destroy());
  return socket;
}
