import { createHash, type Hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants, gunzip, gzip } from 'node:zlib';
import { nextTurn } from '../../event-loop-turns.ts';

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);
const decompressBrotli = promisify(brotliDecompress);
const decompressGzip = promisify(gunzip);

/** A content coding (RFC 9110 §8.4.1), or uncompressed bytes. */
export type Coding = 'br' | 'gzip' | 'plain';

/** Longer pages have their own queue, so that an ordinary page does not wait for them. */
const longBytes = 262_144;

/** Runs one task after the other. The thread pool has four threads, which passwords and files also need: each line uses one. */
class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }
}

const queues = { ordinary: new SerialQueue(), long: new SerialQueue() };

/** Quality 5: a third smaller than gzip at about its cost. Runs off the event loop (zlib's thread pool), on two threads at most. */
function compress(plain: Buffer, coding: 'br' | 'gzip'): Promise<Buffer> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length };
  return queues[plain.length > longBytes ? 'long' : 'ordinary'].run(() =>
    coding === 'br' ? compressBrotli(plain, { params }) : compressGzip(plain),
  );
}

function etagOf(bytes: Buffer | string): string {
  return tagOf(createHash('sha256').update(bytes));
}

function tagOf(digest: Hash): string {
  return `W/"${digest.digest('base64url').slice(0, 16)}"`;
}

/** Splits a text without cutting a surrogate pair. */
function* piecesOf(text: string | Buffer): Generator<() => string | Buffer> {
  for (let at = 0; at < text.length; ) {
    const next = typeof text === 'string' ? text.charCodeAt(at + longBytes) : 0;
    const [from, to] = [at, at + longBytes + (next >= 0xdc00 && next <= 0xdfff ? 1 : 0)];
    yield () => (typeof text === 'string' ? text.slice(from, to) : text.subarray(from, to));
    at = to;
  }
}

/** Bytes are not copied: nobody changes them. */
function bytesOf(text: string | Buffer): Buffer {
  return typeof text === 'string' ? Buffer.from(text) : text;
}

/** Small buffers are slices of blocks that Node shares (`Buffer.poolSize`, 64 KiB): a slice that is kept would keep its whole block. */
function inOwnBlock(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}

/** A page that was kept outside this process's memory. */
export interface KeptPage {
  readonly etag: string;
  readonly frames: boolean;
  readonly br: Buffer;
}

const nobodyListens = (): void => {};

/** A page as it is sent: each coding is made once, when first requested. */
export class FinishedPage {
  /** Identifies the page's exact bytes, so that a new release is seen at once. It is weak, because one page has three codings. */
  readonly etag: string;
  /** The page draws diagrams, in frames. */
  readonly frames: boolean;
  /** Prepared heads of answers with this page, filled in by the code that sends it (ready-answer.ts). */
  readonly heads: Record<Coding | '304', string | undefined> = {
    plain: undefined,
    br: undefined,
    gzip: undefined,
    304: undefined,
  };
  /** Called after each coding that was made. */
  onGrow: () => void = nobodyListens;
  readonly #forms: Record<Coding, Buffer | undefined> = { plain: undefined, br: undefined, gzip: undefined };
  #underWay: Map<Coding, Promise<Buffer>> | undefined;
  #plainAsked = false;

  private constructor(etag: string, frames: boolean, coding: Coding, bytes: Buffer) {
    this.etag = etag;
    this.frames = frames;
    this.#forms[coding] = inOwnBlock(bytes);
  }

  /** @param frames for an HTML page: see `HtmlDocument` */
  static of(text: string | Buffer, frames = false): FinishedPage {
    const plain = bytesOf(text);
    return new FinishedPage(etagOf(plain), frames, 'plain', plain);
  }

  /** The same for a text that may be megabytes long: each turn of the event loop encodes and hashes one piece. */
  static async inChunks(text: string | Buffer, frames = false): Promise<FinishedPage> {
    if (text.length <= longBytes) return FinishedPage.of(text, frames);
    const digest = createHash('sha256');
    const pieces: Buffer[] = [];
    // The first access to a concatenated string flattens it.
    await nextTurn();
    for (const piece of piecesOf(text)) {
      await nextTurn();
      pieces.push(bytesOf(piece()));
      digest.update(pieces.at(-1)!);
    }
    await nextTurn();
    const plain = typeof text === 'string' ? Buffer.concat(pieces) : text;
    return new FinishedPage(tagOf(digest), frames, 'plain', plain);
  }

  static fromStored({ etag, frames, br }: KeptPage): FinishedPage {
    return new FinishedPage(etag, frames, 'br', br);
  }

  /** The page's size in memory, including prepared heads. */
  get bytes(): number {
    let sum = 4_096;
    for (const form of Object.values(this.#forms)) sum += form?.length ?? 0;
    return sum;
  }

  /** The bytes in this coding, if they were made already. */
  find(coding: Coding): Buffer | undefined {
    return this.#forms[coding];
  }

  async in(coding: Coding): Promise<Buffer> {
    const found = this.#forms[coding];
    if (found) {
      if (coding === 'plain') this.#plainAsked = true;
      return found;
    }
    this.#underWay ??= new Map();
    const underWay = this.#underWay;
    const already = underWay.get(coding);
    if (already) return already;
    const work = this.#make(coding).finally(() => underWay.delete(coding));
    underWay.set(coding, work);
    return work;
  }

  async #make(coding: Coding): Promise<Buffer> {
    const plain = await this.#plain();
    const made = inOwnBlock(coding === 'plain' ? plain : await compress(plain, coding));
    this.#forms[coding] = made;
    if (coding === 'plain') this.#plainAsked = true;
    // Nobody asked for the uncompressed bytes, and the compressed ones take a third of the space.
    else if (!this.#plainAsked) this.#forms.plain = undefined;
    this.onGrow();
    return made;
  }

  async #plain(): Promise<Buffer> {
    const { plain, br, gzip: zipped } = this.#forms;
    if (plain) return plain;
    return br ? decompressBrotli(br) : decompressGzip(zipped!);
  }
}

const chosen = new Map<string, Coding>();
/** Browsers send only a handful of different headers. */
const maxChosen = 64;
const longestChosen = 256;

/** The smallest form that the client accepts (RFC 9110 §12.5.3); a coding with `q=0` is not accepted. */
export function chooseCoding(acceptEncoding: string | undefined): Coding {
  if (acceptEncoding === undefined) return 'plain';
  const known = chosen.get(acceptEncoding);
  if (known !== undefined) return known;
  const coding = readCoding(acceptEncoding);
  if (acceptEncoding.length <= longestChosen) {
    if (chosen.size >= maxChosen) chosen.clear();
    chosen.set(acceptEncoding, coding);
  }
  return coding;
}

function readCoding(acceptEncoding: string): Coding {
  const taken = new Set(acceptEncoding.toLowerCase().split(',').filter(isTaken).map(nameOf));
  if (taken.has('br')) return 'br';
  return taken.has('gzip') ? 'gzip' : 'plain';
}

function nameOf(coding: string): string {
  return coding.split(';', 1)[0]!.trim();
}

function isTaken(coding: string): boolean {
  return !coding.split(';').some(parameter => {
    const [name = '', value = ''] = parameter.split('=', 2);
    return name.trim() === 'q' && isZero(value.trim());
  });
}

/** `0`, `0.`, `0.000`. */
function isZero(weight: string): boolean {
  if (weight[0] !== '0' || (weight.length > 1 && weight[1] !== '.')) return false;
  for (let at = 2; at < weight.length; at++) if (weight[at] !== '0') return false;
  return true;
}
