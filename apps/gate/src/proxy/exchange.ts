import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Dispatcher, errors } from 'undici';
import { GateError } from '../errors.ts';
import { type AnswerParts, answerHeaders } from './headers.ts';

/** Beyond this size a copy costs more than a second write. */
const maxAsText = 16_384;

type Controller = Dispatcher.DispatchController;

/** The changes to the answer before it is passed on. */
interface Changes extends AnswerParts {
  /** Our cookies, added to the answer. */
  readonly cookies: readonly string[];
}

/** Callbacks for the end of the exchange. */
interface End {
  readonly resolve: (nothing: undefined) => void;
  readonly reject: (error: GateError) => void;
  /** Called when nothing more goes to the person. */
  readonly onClosed: (() => void) | undefined;
  /** Called when the upstream has nothing more to say, or nobody listens: its connection may take the next request. */
  readonly onFree: () => void;
}

const flush = (exchange: Exchange): void => exchange.flush();

/**
 * One request on its way through: what undici receives from the upstream goes to the person. A slow reader slows the upstream,
 * and when either side goes away, the other is told.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #changes: Changes;
  readonly #end: End;
  #controller: Controller | undefined;
  /** The first chunk of the body, held until it is known whether it is the whole. */
  #first: Buffer | undefined;
  #isSent = false;
  #isOver = false;
  #isFree = false;

  constructor(request: IncomingMessage, response: ServerResponse, changes: Changes, end: End) {
    this.#request = request;
    this.#response = response;
    this.#changes = changes;
    this.#end = end;
    response.once('close', () => this.#onClose());
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(new Error('the client disconnected'));
  }

  onResponseStart(controller: Controller, status: number, _headers: object, message = ''): void {
    const raw = controller.rawHeaders as readonly Buffer[];
    if (status < 200) {
      if (status === 103) this.#hint(linksOf(raw));
      return;
    }
    const headers = answerHeaders(raw, this.#changes);
    for (const cookie of this.#changes.cookies) headers.push('Set-Cookie', cookie);
    // Throws for anything that an answer must not contain; undici passes the error to `onResponseError`.
    this.#response.writeHead(status, message, headers as unknown as Record<string, string>);
    // A small answer is sent in one piece with its head. An event stream must not wait for its first byte to show that it is open.
    process.nextTick(flush, this);
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (!this.#isSent && this.#first === undefined) {
      this.#first = chunk;
      return;
    }
    this.flush();
    if (!this.#response.write(chunk)) this.#waitForReader(controller);
  }

  onResponseEnd(): void {
    this.#free();
    this.#isSent = true;
    const body = this.#first;
    // Text and head leave in one write; latin1 keeps every byte as it is.
    if (body !== undefined && body.length <= maxAsText) this.#response.end(body.toString('latin1'), 'latin1');
    else this.#response.end(body);
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.#free();
    this.fail(error);
  }

  /** Ends the exchange: with a page of ours if nothing was sent yet, otherwise by breaking the connection. */
  fail(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#controller?.abort(error);
    if (!this.#response.headersSent && !this.#response.destroyed) {
      this.#end.reject(gateErrorOf(error));
      return;
    }
    // Part of the answer was sent: only a broken connection tells the client that it is incomplete.
    this.#response.destroy();
    this.#end.resolve(undefined);
  }

  /** Sends what has arrived so far. */
  flush(): void {
    if (this.#isSent || this.#response.destroyed) return;
    this.#isSent = true;
    const controller = this.#controller;
    if (this.#first === undefined) this.#response.flushHeaders();
    else if (!this.#response.write(this.#first) && controller !== undefined) this.#waitForReader(controller);
    this.#first = undefined;
  }

  /** Early hints are optional: none may cost the answer. */
  #hint(link: string[]): void {
    if (link.length > 0 && !this.#response.destroyed) this.#response.writeEarlyHints({ link });
  }

  #waitForReader(controller: Controller): void {
    if (controller.paused) return;
    controller.pause();
    this.#response.once('drain', () => controller.resume());
  }

  #free(): void {
    if (this.#isFree) return;
    this.#isFree = true;
    this.#end.onFree();
  }

  #onClose(): void {
    this.#isOver = true;
    this.#end.onClosed?.();
    // The reader left, or the answer ended before the upload did: either way nobody waits for the rest.
    if (!this.#response.writableFinished || !this.#request.complete)
      this.#controller?.abort(new Error('the client disconnected'));
    this.#end.resolve(undefined);
  }
}

function gateErrorOf(error: Error): GateError {
  if (error instanceof GateError) return error;
  const isSlow = error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError;
  const detail = error instanceof errors.ConnectTimeoutError ? 'no connection was made in time' : undefined;
  return new GateError(isSlow ? 'UPSTREAM_SLOW' : 'UPSTREAM_DOWN', detail, { cause: error });
}

/** Node writes links of roughly this form, one at a time, and throws for any other. */
const writable = /^<[^>]*>(?: ?; ?[^;"\s=]+(?:=(?:"[^;"\s]*"|[^;"\s]*))?)*$/;

/** The links of all Link headers; each header may contain several (RFC 8288 §3). */
function linksOf(raw: readonly Buffer[]): string[] {
  const values = raw.flatMap((name, at) =>
    at % 2 === 0 && name.toString('latin1').toLowerCase() === 'link' ? [(raw[at + 1] as Buffer).toString('latin1')] : [],
  );
  return values.flatMap(splitLinks).filter(link => writable.test(link));
}

/** Splits at commas outside addresses and quotes. */
function splitLinks(value: string): string[] {
  const links = [''];
  let until = '';
  for (const character of value) {
    if (until !== '') until = character === until ? '' : until;
    else if (character === '<') until = '>';
    else if (character === '"') until = '"';
    if (character === ',' && until === '') links.push('');
    else links.push(`${links.pop()}${character}`);
  }
  return links.map(link => link.trim());
}
