import type { IncomingMessage } from 'node:http';
import { GateError } from '../errors.ts';
import { limits } from '../limits.ts';

/** Reads a body up to a limit, whatever Content-Length says, and within a time limit. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > maxBytes) throw new GateError('BODY_TOO_LARGE');
  const chunks: Buffer[] = [];
  let size = 0;
  const late = () => request.destroy(new GateError('BAD_REQUEST', 'the form did not arrive in time'));
  const clock = setTimeout(late, limits.formSeconds * 1000);
  try {
    for await (const chunk of request) {
      size += (chunk as Buffer).length;
      if (size > maxBytes) throw new GateError('BODY_TOO_LARGE');
      chunks.push(chunk as Buffer);
    }
  } finally {
    clearTimeout(clock);
  }
  return Buffer.concat(chunks);
}

/** A form as the packages want it: raw text, with its content type. */
export interface ReceivedForm {
  readonly method: string;
  readonly url: string;
  readonly contentType: string | undefined;
  readonly body: string;
}

export async function readForm(request: IncomingMessage, maxBytes: number): Promise<ReceivedForm> {
  const method = request.method ?? 'GET';
  const body = method === 'POST' ? (await readBody(request, maxBytes)).toString('utf8') : '';
  return { method, url: request.url ?? '/', contentType: request.headers['content-type'], body };
}

/** One parameter of a query or a form. Of duplicates the first is taken; the check of the message refuses those. */
export function parameterOf({ method, url, body }: ReceivedForm, name: string): string | undefined {
  const mark = url.indexOf('?');
  const text = method === 'POST' ? body : mark === -1 ? '' : url.slice(mark + 1);
  return new URLSearchParams(text).get(name) ?? undefined;
}
