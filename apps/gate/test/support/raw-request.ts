import { connect } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Sends exactly these octets and reads until the other side closes: what no HTTP client would send. */
export function sendRaw(origin: string, text: string): Promise<RawAnswer> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text, 'latin1'));
    const chunks: Buffer[] = [];
    socket.on('data', chunk => chunks.push(Buffer.from(chunk)));
    socket.on('error', reject);
    socket.on('close', () => {
      const whole = Buffer.concat(chunks).toString('latin1');
      const [head = '', ...rest] = whole.split('\r\n\r\n');
      resolve({ status: Number(head.split(' ')[1]), head, body: rest.join('\r\n\r\n') });
    });
  });
}

/** A request with raw header lines; the connection closes after it. */
export function raw(method: string, target: string, headers: readonly string[] = [], body = ''): string {
  return [`${method} ${target} HTTP/1.1`, 'Host: gate.example', 'Connection: close', ...headers, '', body].join('\r\n');
}
