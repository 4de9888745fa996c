import type { IncomingMessage } from 'node:http';
import { GateError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { BodiesInFlight } from './bodies-in-flight.ts';
import { type Peer, sourceOf } from './peer.ts';

/** Where a body comes from, and what counts it with the others. */
interface Sending {
  readonly request: IncomingMessage;
  readonly peer: Pick<Peer, 'client'>;
  readonly parts: { readonly bodies: BodiesInFlight };
}

/** Reads a body up to a limit, whatever Content-Length says, and within a time limit. */
export async function readBody({ request, peer, parts: { bodies } }: Sending, maxBytes: number): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > maxBytes) throw new GateError('BODY_TOO_LARGE');
  // Neither emits an event: a request without a body, and one whose client left while we looked up the session.
  if (request.readableEnded) return Buffer.alloc(0);
  if (request.destroyed) throw incomplete();
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    const settle = (end: () => void) => {
      clearTimeout(clock);
      bodies.close(body);
      request.off('data', onData).off('end', onEnd).off('error', fail).off('close', onClose);
      end();
      chunks = [];
    };
    const fail = (error: Error) => settle(() => reject(error));
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) return fail(new GateError('BODY_TOO_LARGE'));
      chunks.push(chunk);
      bodies.add(body, chunk.length);
    };
    const onEnd = () => settle(() => resolve(Buffer.concat(chunks)));
    const onClose = () => fail(incomplete());
    const body = bodies.open(sourceOf(peer.client), fail);
    const clock = setTimeout(
      () => request.destroy(new GateError('BAD_REQUEST', 'the form did not arrive in time')),
      limits.formSeconds * 1000,
    );
    request.on('data', onData).on('end', onEnd).on('error', fail).on('close', onClose);
  });
}

const incomplete = () => new GateError('BAD_REQUEST', 'the form did not arrive in full');

/** A form as the packages want it: raw text, with its content type. */
export interface ReceivedForm {
  readonly method: string;
  readonly url: string;
  readonly contentType: string | undefined;
  readonly body: string;
}

export async function readForm(sending: Sending, maxBytes: number): Promise<ReceivedForm> {
  const { request } = sending;
  const method = request.method ?? 'GET';
  const body = method === 'POST' ? (await readBody(sending, maxBytes)).toString('utf8') : '';
  return { method, url: request.url ?? '/', contentType: request.headers['content-type'], body };
}

/** One parameter of a query or a form. Of duplicates the first is taken; the check of the message refuses those. */
export function parameterOf({ method, url, body }: ReceivedForm, name: string): string | undefined {
  const mark = url.indexOf('?');
  const text = method === 'POST' ? body : mark === -1 ? '' : url.slice(mark + 1);
  return new URLSearchParams(text).get(name) ?? undefined;
}
