import * as calls from '../../../api/calls.ts';
import type { ApiAddedImage } from '../../../api/types.ts';
import { ApiProblem, NoConnection } from '../../api/api-client.ts';
import { RequestTimeout } from '../../api/request-timeout.ts';

export interface ImageUpload {
  readonly slug: string;
  readonly editToken: string | undefined;
  readonly bytes: Blob;
  readonly signal: AbortSignal;
  /** 0 to 1. */
  readonly onProgress: (part: number) => void;
}

/**
 * Uses XMLHttpRequest, because `fetch` does not tell how much of a body has been sent. An upload that makes no more progress is given up.
 * Bytes reported as sent may still be buffered on this machine, so it waits as long as the whole image would take.
 * @throws ApiProblem, NoConnection, or the signal's reason
 */
export function sendImage({ slug, editToken, bytes, signal, onProgress }: ImageUpload): Promise<ApiAddedImage> {
  const request = new XMLHttpRequest();
  const timeout = new RequestTimeout();
  return new Promise<ApiAddedImage>((resolve, reject) => {
    request.open(calls.addImage.method, calls.addImage.path(slug));
    request.setRequestHeader('Accept', 'application/json');
    request.setRequestHeader('Content-Type', bytes.type || 'application/octet-stream');
    if (editToken !== undefined) request.setRequestHeader('X-Edit-Token', editToken);
    request.upload.addEventListener('progress', event => {
      timeout.waitFor(bytes.size);
      if (event.lengthComputable) onProgress(event.loaded / event.total);
    });
    request.addEventListener('load', () => {
      if (request.status === 201) resolve(readBody(request) as unknown as ApiAddedImage);
      else reject(new ApiProblem(responseOf(request), readBody(request)));
    });
    request.addEventListener('error', () => reject(new NoConnection(undefined)));
    request.addEventListener('abort', () =>
      reject(timeout.signal.aborted ? new NoConnection(timeout.signal.reason) : signal.reason),
    );
    request.addEventListener('loadend', () => timeout.end());
    timeout.signal.addEventListener('abort', () => request.abort(), { once: true });
    signal.addEventListener('abort', () => request.abort(), { once: true });
    timeout.waitFor(bytes.size);
    request.send(bytes);
  });
}

function responseOf(request: XMLHttpRequest): Response {
  const wait = request.getResponseHeader('Retry-After');
  return new Response(null, { status: request.status, headers: wait === null ? {} : { 'Retry-After': wait } });
}

function readBody(request: XMLHttpRequest): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(request.responseText);
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
