import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** A proxy in front of `npm run dev`'s service: pages reload when the program that made them was rebuilt. */
export interface DevFront {
  readonly server: Server;
  /** Reloads open pages. */
  reload(): void;
}

const scriptPath = '/dev/reload.js';
const eventsPath = '/dev/reload';

const script = `let known;
const events = new EventSource('${eventsPath}');
events.onmessage = ({ data }) => {
  if (known !== undefined && known !== data) location.reload();
  known = data;
};`;

/** A service that restarts is away for a second. */
const longestWaitMillis = 20_000;

/** @param upstream where the service answers: `http://127.0.0.1:{port}` */
export function createDevFront(upstream: string): DevFront {
  const listeners = new Set<ServerResponse>();
  // A page that missed the event notices the changed number.
  let version = Date.now();
  const server = createServer((asked, response) => {
    if (asked.url === scriptPath) {
      response.writeHead(200, { 'content-type': 'text/javascript', 'cache-control': 'no-store' }).end(script);
    } else if (asked.url === eventsPath) {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      response.write(`data: ${version}\n\n`);
      listeners.add(response);
      response.once('close', () => listeners.delete(response));
    } else {
      pass(upstream, asked, response).catch(error => {
        if (!response.headersSent) response.writeHead(502, { 'content-type': 'text/plain' });
        response.end(`The service does not respond: ${error instanceof Error ? error.message : error}\n`);
      });
    }
  });
  return {
    server,
    reload() {
      version += 1;
      for (const listener of listeners) listener.write(`data: ${version}\n\n`);
    },
  };
}

async function pass(upstream: string, asked: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readAll(asked);
  const answer = await ask(upstream, asked, body);
  const { headers, statusCode = 502 } = answer;
  if (!takesScript(headers)) {
    response.writeHead(statusCode, headers);
    answer.pipe(response);
    return;
  }
  const html = (await readAll(answer)).toString().replace('</head>', `<script src="${scriptPath}"></script></head>`);
  // The bytes have changed, so the etag no longer matches.
  const { etag: _, 'transfer-encoding': __, ...rest } = headers;
  response.writeHead(statusCode, { ...rest, 'content-length': Buffer.byteLength(html) }).end(html);
}

/** Whether the page's policy lets a script of this site run; false for the frame of diagrams. */
function takesScript(headers: OutgoingHttpHeaders): boolean {
  const policy = String(headers['content-security-policy'] ?? '');
  return String(headers['content-type']).startsWith('text/html') && policy.includes("script-src 'self'");
}

async function ask(upstream: string, { method, url, headers }: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
  const giveUpAt = Date.now() + longestWaitMillis;
  for (;;) {
    try {
      return await new Promise((resolve, reject) => {
        const sent = request(upstream + url, { method, headers: { ...headers, 'accept-encoding': 'identity' } }, resolve);
        sent.once('error', reject).end(body);
      });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED' || Date.now() > giveUpAt) throw error;
      await sleep(50);
    }
  }
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
