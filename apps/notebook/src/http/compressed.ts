import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** A body with its compressed forms, made once and sent many times. */
export interface Compressed {
  readonly plain: Buffer;
  readonly br: Buffer;
  readonly gzip: Buffer;
}

/** Long pages have a line of their own: an ordinary one does not wait for them. */
const longBytes = 262_144;

/** One after the other. The pool has four threads, and passwords and files need them too: each line takes one. */
class Line {
  #last: Promise<unknown> = Promise.resolve();

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }
}

const lines = { ordinary: new Line(), long: new Line() };

/** Quality 5: a third smaller than gzip at about its cost. Off the event loop (zlib's thread pool), two threads of it at most. */
export function compress(plain: Buffer): Promise<Compressed> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length };
  return lines[plain.length > longBytes ? 'long' : 'ordinary'].run(async () => {
    const br = await compressBrotli(plain, { params });
    return { plain, br, gzip: await compressGzip(plain) };
  });
}

/** The smallest form that the client takes (RFC 9110 §12.5.3); a coding with `q=0` is not taken. */
export function chooseCoding(acceptEncoding: string | undefined): 'br' | 'gzip' | undefined {
  const taken = new Set(acceptEncoding?.toLowerCase().split(',').filter(isTaken).map(nameOf));
  if (taken.has('br')) return 'br';
  return taken.has('gzip') ? 'gzip' : undefined;
}

function nameOf(coding: string): string {
  return coding.split(';', 1)[0]!.trim();
}

function isTaken(coding: string): boolean {
  return !coding.split(';').some(parameter => /^\s*q\s*=\s*0(?:\.0*)?\s*$/.test(parameter));
}
